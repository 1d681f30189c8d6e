"use strict";
(() => {
  // What a value's row holds, in the order in which lazygrad/inspect/report/html.py writes it.
  const [TITLE, NAME, TYPE, BYTES, ATTRS, INPUTS, PLACE, SCOPE, FORWARD, SOURCES, STEP] = Array(11).keys();
  const [A, B, FUSED, REASON, SAVED] = Array(5).keys(); // of a decision
  const [NODE, WHERE, SIZE, OFFSET, FIRST, LAST] = Array(6).keys(); // of a buffer
  const [WIDTH, HEIGHT, ACROSS, DOWN] = [176, 38, 196, 78]; // a box, and from one to the next

  const programs = data;
  const state = { program: 0, tab: "modules", picked: null, camera: {}, found: new Set() };
  let program, made, related;

  const link = (text, of, number) => element("a", { onclick: () => pick(of, number) }, text);
  const microseconds = ({ milliseconds: ms }) => `${ms >= 0.1 ? integer(1000 * ms) : (1000 * ms).toPrecision(3)} µs`;

  // Links between the forms.

  function choose(number) {
    state.program = number;
    state.picked = null;
    program = programs[number];
    made = program.recorded.map(() => []);
    program.primitive.forEach((value, i) => value[SOURCES].forEach((source) => made[source].push(i)));
    relate();
    const totals = program.totals;
    document.getElementById("summary").textContent =
      `${program.recorded.length} recorded · ${program.primitive.length} primitive · ${totals.kernels} kernels · ` +
      `${totals.library_calls} library calls · ${scaled(totals.bytes_moved, "B")} moved · ` +
      `${scaled(totals.peak_bytes, "B")} at most held`;
    state.camera = {};
    show(state.tab);
    describe();
  }

  function relate() {
    related = { recorded: new Set(), primitive: new Set(), step: new Set(), place: new Set() };
    if (!state.picked) return;
    const { of, number } = state.picked;
    const { recorded, primitive } = program;
    if (of === "recorded") made[number].forEach((i) => related.primitive.add(i));
    if (of === "primitive") related.primitive.add(number);
    if (of === "step") program.steps[number].nodes.forEach((i) => related.primitive.add(i));
    if (of === "place") primitive.forEach((value, i) => value[PLACE] === number && related.primitive.add(i));
    if (of === "recorded") related.recorded.add(number);
    else if (of === "place") recorded.forEach((value, i) => value[PLACE] === number && related.recorded.add(i));
    else related.primitive.forEach((i) => primitive[i][SOURCES].forEach((source) => related.recorded.add(source)));
    related.primitive.forEach((i) => primitive[i][STEP] !== null && related.step.add(primitive[i][STEP]));
    [...related.recorded].forEach((i) => recorded[i][PLACE] !== null && related.place.add(recorded[i][PLACE]));
    if (of === "step" || of === "place") related[of].add(number);
  }

  function pick(of, number) {
    state.picked = { of, number };
    relate();
    describe();
    if (levelNamed(state.tab)) draw();
    else show(state.tab);
  }

  const placeWords = (number) => {
    const place = program.places[number];
    return `${place.file.replaceAll("\\", "/").split("/").pop()}:${place.line}`;
  };

  // The panel on the right.

  function describe() {
    details.replaceChildren();
    if (!state.picked) {
      details.append(
        element("h2", {}, program.title),
        element("p", {}, "Click a box, a line or a buffer. Drag to move, scroll to zoom."),
        element("h3", {}, "Plan cache"),
        element("p", {}, program.cache),
      );
      return;
    }
    const { of, number } = state.picked;
    if (of === "step") describeStep(number);
    else if (of === "place") describePlace(number);
    else describeValue(of, number);
    details.scrollTop = 0;
  }

  function listed(of, numbers, words) {
    const list = [...numbers];
    const items = list.slice(0, 60).map((i) => element("div", {}, link(words(i), of, i)));
    if (list.length > 60) items.push(element("div", {}, `and ${list.length - 60} more`));
    return items;
  }

  const valueWords = (of) => (i) => {
    const value = program[of][i];
    return `%${i} ${value[TITLE]}${value[NAME] ? ` “${value[NAME]}”` : ""}  ${value[TYPE]}`;
  };
  const stepWords = (i) => `${i}: ${program.steps[i].name}`;
  const lineWords = (i) => `${placeWords(i)}  ${program.places[i].text}`;

  function describeValue(of, number) {
    const value = program[of][number];
    details.append(
      element("h2", {}, value[TITLE]),
      facts([
        [of, `%${number}`],
        ["name", value[NAME]],
        ["type", value[TYPE]],
        ["bytes", integer(value[BYTES])],
        ["module", value[SCOPE]],
        ["attributes", value[ATTRS]],
        ["forward", value[FORWARD] === null ? null : link(valueWords("recorded")(value[FORWARD]), "recorded", value[FORWARD])],
      ]),
    );
    if (value[PLACE] !== null) section("Your line", ...listed("place", [value[PLACE]], lineWords));
    if (of === "primitive") section("Recorded as", ...listed("recorded", value[SOURCES], valueWords("recorded")));
    section("Reads", ...listed(of, value[INPUTS], valueWords(of)));
    if (of === "recorded") section("Became", ...listed("primitive", related.primitive, valueWords("primitive")));
    const steps = [...related.step];
    section(steps.length > 1 ? "Kernels" : "Kernel", ...listed("step", steps, stepWords));
    if (steps.length === 1) describeWork(steps[0]);
    if (of === "primitive") describeDecisions((d) => d[A] === number || d[B] === number);
  }

  function describeStep(number) {
    details.append(element("h2", {}, program.steps[number].name));
    describeWork(number);
    const step = program.steps[number];
    section("Your lines", ...listed("place", new Set(step.nodes.map((i) => program.primitive[i][PLACE]).filter((p) => p !== null)), lineWords));
    section("Computes", ...listed("primitive", step.nodes, valueWords("primitive")));
    section("Reads from memory", ...listed("primitive", step.reads, valueWords("primitive")));
    section("Writes to memory", ...listed("primitive", step.writes, valueWords("primitive")));
    const members = new Set(step.nodes);
    describeDecisions((d) => members.has(d[A]) !== members.has(d[B]));
  }

  function describeWork(number) {
    const step = program.steps[number];
    details.append(
      facts([
        ["step", link(`${number} of ${program.steps.length}, ${step.is_library ? "library call" : "kernel"}`, "step", number)],
        ["runs", step.overridden || null],
        ["shape", step.shape.length ? step.shape.join(" × ") : "one element"],
        ["memory", `${integer(step.bytes)} bytes, ${step.reads.length} read, ${step.writes.length} written`],
        ["arithmetic", step.flops === null ? null : `${integer(step.flops)} operations`],
        ["time", step.timed_with !== null ? link(`in that of step ${step.timed_with}`, "step", step.timed_with)
          : step.milliseconds === null ? "not measured" : `${microseconds(step)} on ${program.measured.target}`],
      ]),
    );
    if (step.kernel) section("Kernel form", element("pre", {}, step.kernel));
    for (const source of program.sources) {
      const ranges = step.sources[source.target];
      if (!ranges) continue;
      const lines = source.text.split("\n");
      const text = ranges.map(([first, last]) => dedented(lines.slice(first - 1, last))).join("\n…\n");
      section(source.target, element("pre", {}, text), element("a", { onclick: () => show(`source ${source.target}`) }, "in the whole source"));
    }
  }

  function dedented(lines) {
    const indent = Math.min(...lines.filter((line) => line.trim()).map((line) => line.search(/\S/)));
    return lines.map((line) => line.slice(indent)).join("\n");
  }

  function describeDecisions(concerns) {
    const found = program.decisions.filter(concerns).slice(0, 40);
    const words = (d) =>
      `${program.primitive[d[A]][TITLE]} and ${program.primitive[d[B]][TITLE]}: ${d[FUSED] ? "fused" : "not fused"}: ` +
      `${d[REASON]} (${integer(d[SAVED])} bytes)`;
    section("Fusion", ...found.map((d) => element("div", {}, words(d))));
  }

  function describePlace(number) {
    const place = program.places[number];
    details.append(
      element("h2", {}, placeWords(number)),
      element("pre", {}, place.text),
      facts([["file", place.file], ["function", place.function]]),
    );
    section("Recorded", ...listed("recorded", related.recorded, valueWords("recorded")));
    section("Kernels and calls", ...listed("step", related.step, stepWords));
  }

  // Graphs, on a canvas: a few thousand boxes are drawn in a few milliseconds.

  const levelNamed = (name) => program.levels.find((level) => level.name === name);
  const canvas = element("canvas");
  const context = canvas.getContext("2d");
  const memberOf = (level, i) => (level.boxes[i][3].length ? level.boxes[i][3] : [i]);
  const left = (level, i) => level.points[2 * i] * ACROSS - WIDTH / 2;
  const top = (level, i) => level.points[2 * i + 1] * DOWN;

  function fitted(level) {
    const { width, height } = view.getBoundingClientRect();
    const xs = level.boxes.map((_, i) => left(level, i));
    const ys = level.boxes.map((_, i) => top(level, i));
    const [x, y] = [Math.min(...xs, 0), Math.min(...ys, 0)];
    const [across, down] = [Math.max(...xs, 0) + WIDTH - x, Math.max(...ys, 0) + HEIGHT - y];
    const whole = Math.min((width - 40) / across, (height - 40) / down, 1.2);
    const scale = Math.max(whole, 0.7);
    const shown = xs.filter((_, i) => (ys[i] - y) * scale < height).sort((a, b) => a - b);
    const centre = across * scale > width ? shown[shown.length >> 1] + WIDTH / 2 : x + across / 2;
    const above = down * scale > height ? 30 : Math.min(60, (height - down * scale) / 2);
    return { scale, x: width / 2 - centre * scale, y: above - y * scale };
  }

  function draw() {
    const level = levelNamed(state.tab);
    if (!level) return;
    const { width, height } = view.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
      [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
    }
    const camera = (state.camera[level.name] ||= fitted(level));
    const picked = boxesOf(level);
    const inks = Object.fromEntries(["ink", "faint", "edge", "pick", "line", "panel", "other"].map((name) => [name, colour(name)]));
    const visible = (x, y, w, h) =>
      (x + w) * camera.scale + camera.x > 0 && x * camera.scale + camera.x < width &&
      (y + h) * camera.scale + camera.y > 0 && y * camera.scale + camera.y < height;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.setTransform(ratio * camera.scale, 0, 0, ratio * camera.scale, ratio * camera.x, ratio * camera.y);

    const legible = camera.scale > 0.33;
    const column = level.name === "plan";
    const isPicked = (a, b) => picked.has(a) || picked.has(b);
    const span = (a, b) => Math.abs(level.points[2 * b + 1] - level.points[2 * a + 1]);
    // Long edges are faint, or nothing could be seen for them: what a backward pass reads, parameters used twice.
    // Of a graph that is seen from afar the faint ones are left out while it moves, and all are straight.
    const hasty = moving && !legible;
    for (const [least, most, chosen, opacity] of [[12, Infinity, false, 0.18], [4, 12, false, 0.5], [0, 4, false, 1], [0, Infinity, true, 1]]) {
      if (hasty && least >= 4) continue;
      context.beginPath();
      context.globalAlpha = opacity;
      for (let e = 0; e < level.edges.length; e += 2) {
        const [a, b] = [level.edges[e], level.edges[e + 1]];
        if (isPicked(a, b) !== chosen || span(a, b) < least || span(a, b) >= most) continue;
        const [x1, y1, x2, y2] = [left(level, a) + WIDTH / 2, top(level, a) + HEIGHT, left(level, b) + WIDTH / 2, top(level, b)];
        if (!visible(Math.min(x1, x2), Math.min(y1, y2), Math.abs(x2 - x1) + 1, Math.abs(y2 - y1) + 1)) continue;
        if (column && b - a !== 1) {
          const bend = WIDTH / 2 + 30 + 14 * Math.log2(b - a);
          context.moveTo(x1 + WIDTH / 2, y1 - HEIGHT / 2);
          context.bezierCurveTo(x1 + bend, y1, x1 + bend, y2, x2 + WIDTH / 2, y2 + HEIGHT / 2);
        } else if (!legible) {
          if (hasty && !chosen && (Math.abs(x2 - x1) + Math.abs(y2 - y1)) * camera.scale < 4) continue;
          context.moveTo(x1, y1);
          context.lineTo(x2, y2);
        } else {
          const half = Math.max(18, Math.abs(y2 - y1) / 2) * (y2 >= y1 ? 1 : 1.6);
          context.moveTo(x1, y1);
          context.bezierCurveTo(x1, y1 + half, x2, y2 - half, x2, y2);
        }
      }
      context.strokeStyle = chosen ? inks.pick : inks.edge;
      context.lineWidth = (chosen ? 1.6 : 1) / Math.min(1, camera.scale * 1.5);
      context.stroke();
    }
    context.globalAlpha = 1;

    if (!legible) return drawFar(level, picked, visible, inks, camera.scale);
    level.boxes.forEach(([title, detail, kind], i) => {
      const [x, y] = [left(level, i), top(level, i)];
      if (!visible(x, y, WIDTH, HEIGHT)) return;
      context.fillStyle = colours[kind] ||= colour(kind) || inks.other;
      context.strokeStyle = picked.has(i) ? inks.pick : state.found.has(i) ? inks.ink : inks.line;
      context.lineWidth = (picked.has(i) || state.found.has(i) ? 2.5 : 1) / Math.min(1, camera.scale * 1.5);
      context.beginPath();
      context.roundRect(x, y, WIDTH, HEIGHT, 6);
      context.fill();
      context.stroke();
      context.fillStyle = inks.ink;
      context.font = "12.5px system-ui, 'DejaVu Sans', sans-serif";
      context.fillText(cut(title, WIDTH - 14), x + 7, y + 16);
      context.fillStyle = inks.faint;
      context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
      context.fillText(cut(detail, WIDTH - 14), x + 7, y + 31);
    });
  }
  let colours = {};

  // Boxes that are too small to read are plain rectangles; while they move only those picked or found have an edge.
  function drawFar(level, picked, visible, inks, scale) {
    level.boxes.forEach(([, , kind], i) => {
      const [x, y] = [left(level, i), top(level, i)];
      if (!visible(x, y, WIDTH, HEIGHT)) return;
      context.fillStyle = colours[kind] ||= colour(kind) || inks.other;
      context.fillRect(x, y, WIDTH, HEIGHT);
      const standsOut = picked.has(i) || state.found.has(i);
      if (moving && !standsOut) return;
      context.strokeStyle = picked.has(i) ? inks.pick : standsOut ? inks.ink : inks.line;
      context.lineWidth = (standsOut ? 2.5 : 1) / Math.min(1, scale * 1.5);
      context.strokeRect(x, y, WIDTH, HEIGHT);
    });
  }

  // Moving: a drawing for each frame at most, and a careful one when it is over.
  let moving = false, asked = false, still = 0;
  function move() {
    moving = true;
    clearTimeout(still);
    still = setTimeout(() => { moving = false; draw(); }, 150);
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; draw(); });
  }

  function cut(text, width) {
    if (text.length < 20 || context.measureText(text).width <= width) return text;
    let [fits, not] = [0, text.length];
    while (not - fits > 1) {
      const middle = (fits + not) >> 1;
      if (context.measureText(`${text.slice(0, middle)}…`).width <= width) fits = middle;
      else not = middle;
    }
    return `${text.slice(0, fits)}…`;
  }

  function boxesOf(level) {
    const boxes = new Set();
    if (state.picked) level.boxes.forEach((_, i) => memberOf(level, i).some((m) => related[level.of].has(m)) && boxes.add(i));
    return boxes;
  }

  function boxAt(event) {
    const level = levelNamed(state.tab);
    const camera = state.camera[level.name];
    const area = canvas.getBoundingClientRect();
    const [x, y] = [(event.clientX - area.left - camera.x) / camera.scale, (event.clientY - area.top - camera.y) / camera.scale];
    return level.boxes.findIndex((_, i) => {
      const [from, above] = [left(level, i), top(level, i)];
      return x >= from && x <= from + WIDTH && y >= above && y <= above + HEIGHT;
    });
  }

  function goTo(level, box) {
    const { width, height } = view.getBoundingClientRect();
    const camera = (state.camera[level.name] ||= fitted(level));
    camera.scale = Math.max(camera.scale, 0.8);
    camera.x = width / 2 - (left(level, box) + WIDTH / 2) * camera.scale;
    camera.y = height / 2 - (top(level, box) + HEIGHT / 2) * camera.scale;
    draw();
  }

  function pickBox(level, box) {
    const members = memberOf(level, box);
    if (level.boxes[box][2] !== "module") return pick(level.of, members[0]);
    details.replaceChildren(element("h2", {}, level.boxes[box][0]));
    section("Recorded", ...listed("recorded", members, valueWords("recorded")));
    state.picked = null;
    related = { recorded: new Set(members), primitive: new Set(), step: new Set(), place: new Set() };
    members.forEach((r) => made[r].forEach((i) => program.primitive[i][STEP] !== null && related.step.add(program.primitive[i][STEP])));
    section("Kernels and calls", ...listed("step", related.step, stepWords));
  }

  let dragged = null;
  canvas.addEventListener("pointerdown", (event) => {
    dragged = { x: event.clientX, y: event.clientY, moved: 0 };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const camera = state.camera[state.tab];
    const [dx, dy] = [event.clientX - dragged.x, event.clientY - dragged.y];
    dragged = { x: event.clientX, y: event.clientY, moved: dragged.moved + Math.abs(dx) + Math.abs(dy) };
    camera.x += dx;
    camera.y += dy;
    move();
  });
  canvas.addEventListener("pointerup", (event) => {
    const click = dragged && dragged.moved < 4;
    dragged = null;
    if (!click) return;
    const box = boxAt(event);
    if (box >= 0) pickBox(levelNamed(state.tab), box);
  });
  canvas.addEventListener("dblclick", () => {
    delete state.camera[state.tab];
    draw();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const camera = state.camera[state.tab];
    const area = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - area.left, event.clientY - area.top];
    const factor = Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015));
    const scale = Math.min(3, Math.max(0.02, camera.scale * factor));
    camera.x = x - ((x - camera.x) * scale) / camera.scale;
    camera.y = y - ((y - camera.y) * scale) / camera.scale;
    camera.scale = scale;
    move();
  }, { passive: false });

  // Tables and pictures.

  function lines() {
    const work = program.places.map(() => ({ recorded: 0, steps: new Set(), bytes: 0, time: 0 }));
    program.recorded.forEach((value) => value[PLACE] !== null && work[value[PLACE]].recorded++);
    program.primitive.forEach((value) => value[PLACE] !== null && value[STEP] !== null && work[value[PLACE]].steps.add(value[STEP]));
    program.steps.forEach((step, i) => {
      const counts = new Map();
      step.nodes.forEach((n) => {
        const place = program.primitive[n][PLACE];
        if (place !== null) counts.set(place, (counts.get(place) || 0) + 1);
      });
      const [most] = [...counts].sort((a, b) => b[1] - a[1])[0] || [null];
      if (most !== null) [work[most].bytes, work[most].time] = [work[most].bytes + step.bytes, work[most].time + (step.milliseconds || 0)];
    });
    const order = [...work.keys()].sort((a, b) => work[b].bytes - work[a].bytes);
    const timed = program.steps.some((step) => step.milliseconds !== null);
    view.append(table(["line", "", "recorded", "steps", "bytes moved", ...(timed ? ["µs"] : [])], order.map((i) => ({
      cells: [placeWords(i), element("code", {}, program.places[i].text), work[i].recorded, work[i].steps.size, work[i].bytes,
        ...(timed ? [1000 * work[i].time] : [])],
      onclick: () => pick("place", i), picked: related.place.has(i),
    }))));
  }

  // What comes after the passes has no graph of nodes, and applies no rules.
  function passes() {
    view.append(table(["pass", "nodes", "µs", "rules applied"], program.passes.map((run) => ({
      cells: [run.name, run.nodes || "", run.microseconds,
        Object.entries(run.rules).map(([rule, count]) => (count > 1 ? `${rule} ×${count}` : rule)).join(", ") || (run.nodes ? "none" : "")],
    }))));
  }

  function fusion() {
    const reasons = new Map();
    for (const d of program.decisions) {
      const key = `${d[FUSED] ? "fused" : "not fused"}: ${d[REASON]}`;
      reasons.set(key, [...(reasons.get(key) || []), d]);
    }
    const bytes = (list) => list.reduce((sum, d) => sum + d[SAVED], 0);
    const rows = [...reasons].sort((a, b) => bytes(b[1]) - bytes(a[1]));
    view.append(table(["reason", "edges", "bytes", "the largest"], rows.map(([reason, list]) => {
      const largest = [...list].sort((a, b) => b[SAVED] - a[SAVED]).slice(0, 6);
      const between = largest.map((d) => element("div", {}, link(valueWords("primitive")(d[A]), "primitive", d[A]), " → ",
        link(valueWords("primitive")(d[B]), "primitive", d[B])));
      return { cells: [reason, list.length, bytes(list), element("div", {}, ...between)] };
    })));
  }

  function memory() {
    const steps = Math.max(program.steps.length, 1);
    const arena = program.buffers.filter((b) => b[WHERE] === "arena");
    const kept = program.buffers.filter((b) => b[WHERE] !== "arena");
    const sum = (list) => list.reduce((total, b) => total + b[SIZE], 0);
    const [inputs, outputs] = ["input", "output"].map((place) => kept.filter((b) => b[WHERE] === place));
    view.append(element("p", { class: "note" },
      `Inputs ${integer(sum(inputs))} bytes in ${inputs.length} buffers, outputs ${integer(sum(outputs))} in ${outputs.length}; ` +
      `they are there from the first step to the last. Below, the ${arena.length} temporaries in ${integer(program.totals.arena_bytes)} ` +
      `bytes of scratch memory: each from the step that writes it to the last one that reads it, at its place in the arena.`));
    const [width, height, margin] = [Math.max(640, view.clientWidth - 40), 420, 64];
    const x = (step) => margin + ((width - margin - 10) * step) / steps;
    const y = (offset) => height - 30 - ((height - 50) * offset) / Math.max(program.totals.arena_bytes, 1);
    const picture = svg("svg", { width, height, role: "img", "aria-label": "memory timeline" },
      svg("line", { class: "axis", x1: margin, y1: y(0), x2: width - 10, y2: y(0) }),
      svg("line", { class: "axis", x1: margin, y1: y(0), x2: margin, y2: 20 }));
    for (let i = 0; i <= 4; i++) {
      picture.append(svg("text", { x: margin - 6, y: y((program.totals.arena_bytes * i) / 4) + 4, "text-anchor": "end" }, scaled((program.totals.arena_bytes * i) / 4, "B")));
      picture.append(svg("text", { x: x((steps * i) / 4), y: height - 10, "text-anchor": i === 4 ? "end" : "middle" }, i ? `step ${Math.round((steps * i) / 4)}` : "step 0"));
    }
    for (const b of arena) {
      const value = program.primitive[b[NODE]];
      const size = Math.max(b[SIZE], 1);
      picture.append(svg("rect", {
        class: `buffer${related.primitive.has(b[NODE]) ? " picked" : ""}`, x: x(b[FIRST]), width: Math.max(x(b[LAST] + 1) - x(b[FIRST]), 1.5),
        y: y(b[OFFSET] + size), height: Math.max(y(b[OFFSET]) - y(b[OFFSET] + size), 1),
        fill: `var(--${value[FORWARD] !== null ? "gradient" : "elementwise"})`, onclick: () => pick("primitive", b[NODE]),
      }, svg("title", {}, `%${b[NODE]} ${value[TITLE]} ${value[TYPE]}, steps ${b[FIRST]} to ${b[LAST]}`)));
    }
    view.append(picture);
    const largest = [...program.buffers].sort((a, b) => b[SIZE] - a[SIZE]).slice(0, 40);
    view.append(table(["buffer", "place", "bytes", "from step", "to step"], largest.map((b) => ({
      cells: [valueWords("primitive")(b[NODE]), b[WHERE], b[SIZE], b[FIRST], b[LAST]], onclick: () => pick("primitive", b[NODE]),
      picked: related.primitive.has(b[NODE]),
    }))));
  }

  function roofline() {
    const machine = program.measured;
    const points = program.steps.map((step, i) => ({ step, i })).filter(({ step }) => step.flops && step.bytes && step.milliseconds);
    if (!machine || !points.length) {
      view.append(element("p", { class: "note" }, "Nothing was measured. lazygrad.explain(…, measure=True) runs the program step by step, and shows here how near each step comes to what this machine can do."));
      return;
    }
    const [width, height, margin] = [Math.max(640, view.clientWidth - 40), 460, 70];
    const intensity = ({ step }) => step.flops / step.bytes;
    const rate = ({ step }) => (1e3 * step.flops) / step.milliseconds;
    const ridge = machine.flops / machine.bytes_per_second;
    const xs = [...points.map(intensity), ridge].map(Math.log10);
    const ys = [...points.map(rate), machine.flops].map(Math.log10);
    const [x0, x1] = [Math.floor(Math.min(...xs)), Math.ceil(Math.max(...xs) + 0.3)];
    const [y0, y1] = [Math.floor(Math.min(...ys)), Math.ceil(Math.max(...ys) + 0.1)];
    const x = (value) => margin + ((width - margin - 20) * (Math.log10(value) - x0)) / (x1 - x0);
    const y = (value) => height - 40 - ((height - 60) * (Math.log10(value) - y0)) / (y1 - y0);
    const picture = svg("svg", { width, height, role: "img", "aria-label": "roofline" });
    for (let i = x0; i <= x1; i++) {
      picture.append(svg("line", { class: "axis", x1: x(10 ** i), x2: x(10 ** i), y1: 20, y2: height - 40 }),
        svg("text", { x: x(10 ** i), y: height - 24, "text-anchor": "middle" }, String(10 ** i)));
    }
    for (let i = y0; i <= y1; i++) {
      picture.append(svg("line", { class: "axis", x1: margin, x2: width - 20, y1: y(10 ** i), y2: y(10 ** i) }),
        svg("text", { x: margin - 6, y: y(10 ** i) + 4, "text-anchor": "end" }, scaled(10 ** i, "op/s")));
    }
    const low = Math.max(10 ** x0, 10 ** y0 / machine.bytes_per_second);
    picture.append(
      svg("path", { class: "roof", d: `M${x(low)},${y(low * machine.bytes_per_second)}L${x(ridge)},${y(machine.flops)}H${width - 20}` }),
      svg("text", { x: width - 20, y: height - 6, "text-anchor": "end" }, "arithmetic operations per byte moved"));
    for (const point of points) {
      picture.append(svg("circle", {
        class: `point${related.step.has(point.i) ? " picked" : ""}`, cx: x(intensity(point)), cy: y(rate(point)),
        r: 3 + Math.min(9, 3 * Math.sqrt(point.step.milliseconds)), fill: `var(--${point.step.is_library ? "library" : "kernel"})`,
        onclick: () => pick("step", point.i), style: "stroke: var(--faint)",
      }, svg("title", {}, `${stepWords(point.i)}: ${scaled(rate(point), "op/s")}, ${microseconds(point.step)}`)));
    }
    view.append(element("p", { class: "note" },
      `The line is what this machine can do at best: ${machine.words}. Points above it read what lies in a cache. ` +
      `Steps ran on ${machine.target}, ${machine.runs} times; these are the medians.`), picture);
  }

  function source(target) {
    const found = program.sources.find((each) => each.target === target);
    const box = element("div", { class: "source" });
    found.text.split("\n").forEach((text, i) => {
      const nodes = found.lines[i + 1] || [];
      const isPicked = nodes.some((n) => related.primitive.has(n));
      box.append(element("div", {
        class: `${nodes.length ? "maps" : ""}${isPicked ? " picked" : ""}`,
        onclick: () => nodes.length && pick("primitive", nodes[0]),
      }, element("i", {}, String(i + 1)), text));
    });
    const kept = view.scrollTop;
    view.append(box);
    view.scrollTop = kept;
    if (!kept) box.querySelector(".picked")?.scrollIntoView({ block: "center" });
  }

  const text = () => view.append(element("pre", { style: "margin: 14px" }, program.text));
  const tabs = () => ({ lines, memory, roofline, passes, fusion, text,
    ...Object.fromEntries(program.sources.map(({ target }) => [`source ${target}`, () => source(target)])) });

  function show(name) {
    const others = tabs();
    const known = levelNamed(name) || others[name];
    const kept = state.tab === name ? view.scrollTop : 0;
    state.tab = known ? name : "modules";
    tabBar([program.levels.map((level) => level.name), Object.keys(others)], state.tab, show);
    view.replaceChildren();
    state.found = new Set();
    if (levelNamed(state.tab)) {
      view.append(canvas);
      search();
      draw();
    } else {
      view.scrollTop = kept;
      others[state.tab]();
      view.scrollTop = kept || view.scrollTop;
    }
  }

  // Search, among the boxes that are shown.

  function wordsOf(level, i) {
    const [title, detail] = level.boxes[i];
    const values = memberOf(level, i).flatMap((m) => (level.of === "step" ? program.steps[m].nodes.map((n) => program.primitive[n]) : [program[level.of][m]]));
    const parts = values.map((v) => [v[TITLE], v[NAME], v[TYPE], v[SCOPE], v[ATTRS], v[PLACE] === null ? "" : placeWords(v[PLACE])].join(" "));
    return `${title} ${detail} ${parts.join(" ")}`.toLowerCase();
  }

  function search() {
    const level = levelNamed(state.tab);
    const wanted = field.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    state.found = new Set();
    view.querySelector(".found")?.remove();
    if (!level || !wanted.length) return;
    level.boxes.forEach((_, i) => {
      const words = wordsOf(level, i);
      if (wanted.every((word) => words.includes(word))) state.found.add(i);
    });
    view.append(element("div", { class: "found" }, `${state.found.size} found; Enter goes to the next`));
  }

  let next = 0;
  field.addEventListener("input", () => {
    next = 0;
    search();
    draw();
  });
  field.addEventListener("keydown", (event) => {
    const level = levelNamed(state.tab);
    if (event.key !== "Enter" || !level || !state.found.size) return;
    const box = [...state.found][next++ % state.found.size];
    goTo(level, box);
    pickBox(level, box);
    draw();
  });

  // The frame around it.

  followTheme(() => {
    colours = {};
    if (program) draw();
  });
  const chooser = document.getElementById("program");
  programs.forEach((each, i) => chooser.append(element("option", { value: i }, each.title)));
  chooser.addEventListener("change", () => choose(Number(chooser.value)));
  chooser.hidden = programs.length < 2;
  new ResizeObserver(() => draw()).observe(view);
  choose(0);

  // For scripts: where a box is on the screen, and what is shown.
  window.report = {
    show, pick, state,
    centre: (name, box) => {
      const level = levelNamed(name);
      goTo(level, box);
      const area = canvas.getBoundingClientRect();
      const camera = state.camera[name];
      return [area.left + camera.x + (left(level, box) + WIDTH / 2) * camera.scale, area.top + camera.y + (top(level, box) + HEIGHT / 2) * camera.scale];
    },
  };
})();
