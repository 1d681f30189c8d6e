"use strict";
(() => {
  const ROW = 46; // pixels from one depth of the flame to the next
  const KINDS = { kernels: "kernel", "library calls": "library", "interpreted operations": "composite", "Python: the program and recording": "module" };
  const LEAST = 0.0004; // of the width; what is narrower is not drawn

  const frames = [];
  const state = { tab: "flame", picked: null, zoom: null, found: new Set() };

  // Frames know what they are in, where they begin, and what colour their activity has.
  function collect(frame, parent, start, kind) {
    Object.assign(frame, { parent, start, kind, depth: parent ? parent.depth + 1 : 0 });
    frames.push(frame);
    for (const child of frame.children) {
      collect(child, frame, start, parent ? kind : KINDS[child.name] || "reduction");
      start += child.value;
    }
  }
  collect(data.flame, null, 0, "leaf");
  const [whole] = frames;
  const contains = (outer, inner) => inner !== null && (inner === outer || contains(outer, inner.parent));
  const twins = (frame) => frames.filter((each) => each.name === frame.name && each.detail === frame.detail);

  const rounded = (number) => (Number.isInteger(number) || number >= 1000 ? integer(number) : String(Number(number.toPrecision(4))));
  const time = (ms) => (ms >= 1 ? `${rounded(ms)} ms` : `${rounded(1000 * ms)} µs`);
  const share = (part, of) => `${((100 * part) / (of || 1)).toFixed(1)} %`;
  const link = (frame, words) => element("a", { onclick: () => pick(frame) }, words);

  function pick(frame) {
    state.picked = state.zoom = frame;
    describe();
    show(state.tab);
  }

  // The panel on the right.

  function describe() {
    details.replaceChildren();
    const frame = state.picked;
    if (!frame) {
      details.append(element("h2", {}, "Where the time went"),
        element("p", {}, "Click a part to see it as wide as the page, and what it is in to go back."));
      section("Notes", ...data.notes.map((note) => element("p", {}, note)));
      return;
    }
    const own = frame.value - frame.children.reduce((sum, child) => sum + child.value, 0);
    details.append(element("h2", {}, frame.name));
    if (frame.detail) details.append(element("pre", {}, frame.detail));
    details.append(facts([
      ["time", time(frame.value)],
      ["of the whole", share(frame.value, whole.value)],
      [frame.parent ? `of ${frame.parent.name}` : "", frame.parent ? share(frame.value, frame.parent.value) : null],
      ["of its own", frame.children.length && own > 1e-6 * whole.value ? time(own) : null],
    ]));
    if (frame.parent) section("In", link(frame.parent, frame.parent.name));
    section("Of which", ...frame.children.map((child) => element("div", {}, link(child, child.name), ` ${time(child.value)}`)));
    const others = twins(frame).filter((each) => each !== frame && each.parent);
    section("Elsewhere", ...others.map((each) =>
      element("div", {}, link(each, `in ${each.parent.parent?.parent ? `${each.parent.parent.name}, ` : ""}${each.parent.name}`), ` ${time(each.value)}`)));
    details.scrollTop = 0;
  }

  // Views.

  function flame() {
    const zoom = state.zoom || whole;
    const marked = new Set(state.picked ? twins(state.picked) : []);
    const box = element("div", { class: "flame", style: `height: ${ROW * (1 + Math.max(...frames.map((each) => each.depth)))}px` });
    frames.forEach((frame, i) => {
      const isAround = contains(frame, zoom);
      if (!isAround && !contains(zoom, frame)) return;
      const [left, width] = isAround ? [0, 1] : [(frame.start - zoom.start) / zoom.value, frame.value / zoom.value];
      if (!(width >= LEAST)) return;
      const words = [frame.name, frame.detail].filter(Boolean).join("  ");
      const amount = `${time(frame.value)} · ${share(frame.value, whole.value)}`;
      const dimmed = field.value.trim() && !state.found.has(i);
      box.append(element("button", {
        type: "button", class: `frame${marked.has(frame) ? " picked" : ""}${dimmed ? " dimmed" : ""}`, title: `${words}\n${amount}`,
        style: `left: ${100 * left}%; width: ${100 * width}%; top: ${ROW * frame.depth}px; background: var(--${frame.kind})`,
        onclick: () => pick(frame),
      }, element("b", {}, words), element("span", {}, amount)));
    });
    view.append(box);
  }

  // Rows lead to the frames that show them.
  function records(name, frameOf) {
    const rows = data.tables[name];
    view.append(table(Object.keys(rows[0] || {}), rows.map((row) => {
      const frame = frameOf(row);
      return {
        cells: Object.values(row).map((cell) => cell ?? "–"), onclick: frame && (() => pick(frame)),
        picked: Boolean(frame && state.picked && twins(frame).includes(state.picked)),
      };
    }), rounded));
  }
  const activities = () => records("activities", (row) => whole.children.find((each) => each.name === row.activity));
  const lines = () => records("lines", (row) => frames.find((each) => each.depth === 2 && each.name === row.line && each.detail === row.source));
  const kernels = () => records("kernels", (row) => frames.find((each) =>
    each.name === row.what && !each.children.length && row.from.split(" ").filter(Boolean).every((word) => around(each).includes(word))));
  const around = (frame) => (frame.parent ? [...around(frame.parent), frame.parent.name] : []);
  const text = () => view.append(element("pre", { style: "margin: 14px" }, data.text));
  const views = { flame, activities, kernels, lines, text };

  function show(name) {
    state.tab = views[name] ? name : "flame";
    tabBar([Object.keys(views)], state.tab, show);
    const kept = view.scrollTop;
    view.replaceChildren();
    search();
    views[state.tab]();
    view.scrollTop = kept;
  }

  // Search, among the frames: what is found counts once, though what is in it be found too.

  function search() {
    const wanted = field.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (frame) => wanted.every((word) => `${frame.name} ${frame.detail}`.toLowerCase().includes(word));
    state.found = new Set();
    if (!wanted.length) return;
    frames.forEach((frame, i) => matches(frame) && state.found.add(i));
    const found = new Set([...state.found].map((i) => frames[i]));
    const isInside = (frame) => frame.parent !== null && (found.has(frame.parent) || isInside(frame.parent));
    const outermost = [...found].filter((frame) => !isInside(frame));
    const sum = outermost.reduce((total, frame) => total + frame.value, 0);
    view.append(element("div", { class: "found" }, `${found.size} found, ${time(sum)}, ${share(sum, whole.value)}`));
  }
  field.addEventListener("input", () => show("flame"));

  document.getElementById("program").hidden = true;
  document.getElementById("summary").textContent = data.summary;
  followTheme(() => {});
  describe();
  show("flame");

  // For scripts: what is shown.
  window.report = { show, pick: (name) => pick(frames.find((frame) => frame.name === name)), state };
})();
