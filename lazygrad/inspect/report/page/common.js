"use strict";
// What every page has: its frame, elements, numbers as words, tables, light and dark. A page's own script comes after it.

const data = JSON.parse(document.getElementById("data").textContent);
const view = document.getElementById("view");
const details = document.getElementById("details");
const field = document.getElementById("search");

// Elements. Text from programs only ever becomes text.

function element(tag, attributes = {}, ...children) {
  const made = tag.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}
const svg = (tag, attributes, ...children) => element(`svg:${tag}`, attributes, ...children);

const integer = (number) => Math.round(number).toLocaleString("en");
const scaled = (number, unit) => {
  const [power, prefix] = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([p]) => number >= p) || [1, ""];
  return `${(number / power).toPrecision(3)} ${prefix}${unit}`;
};
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function facts(pairs) {
  const list = element("dl");
  for (const [name, value] of pairs) {
    if (value !== null && value !== "" && value !== undefined) list.append(element("dt", {}, name), element("dd", {}, value));
  }
  return list;
}

function section(title, ...children) {
  if (children.length) details.append(element("h3", {}, title), ...children);
}

function table(heads, rows, words = integer) {
  const body = rows.map(({ cells, onclick, picked }) =>
    element("tr", { class: `${onclick ? "link" : ""}${picked ? " picked" : ""}`, onclick: onclick || (() => {}) },
      ...cells.map((cell) => typeof cell === "number"
        ? element("td", { class: "number" }, words(cell))
        : element("td", {}, cell))));
  const numeric = rows.length ? rows[0].cells.map((cell) => typeof cell === "number") : [];
  const head = element("tr", {}, ...heads.map((text, i) => element("th", { class: numeric[i] ? "number" : "" }, text)));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
}

// A button for each view, in groups; `shown` is the one that is seen.
function tabBar(groups, shown, show) {
  const button = (name) => element("button", { type: "button", "aria-selected": String(name === shown), onclick: () => show(name) }, name);
  const gap = () => element("span", { class: "gap" });
  document.getElementById("tabs").replaceChildren(...groups.flatMap((names, i) => [...(i ? [gap()] : []), ...names.map(button)]));
}

// Light or dark as the system is, until the button says otherwise; `redraw` is for what style alone does not colour.
function followTheme(redraw) {
  const themed = (theme) => {
    document.documentElement.dataset.theme = theme;
    redraw();
  };
  const preferred = window.matchMedia("(prefers-color-scheme: dark)");
  const wanted = () => (preferred.matches ? "dark" : "light");
  preferred.addEventListener("change", () => themed(wanted()));
  themed(wanted());
  document.getElementById("theme").addEventListener("click", () =>
    themed(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
}
