"use strict";
// Everything is drawn from one block of numbers. Nothing is fetched.
const data = JSON.parse(document.getElementById("numbers").textContent);
const systems = data.systems;
const percent = `${+(100 * data.level).toFixed(2)}%`;
let chosen = null;

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const fixed = (value, digits = 3) => (value === null ? "–" : value.toFixed(digits));
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// Tooltips of elements with data-tip, and of anything that calls showTip.
const tip = document.getElementById("tip");
function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const room = document.documentElement.clientWidth;
  tip.style.left = `${clamp(x + 14, 4, Math.max(4, room - box.width - 4))}px`;
  tip.style.top = `${y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18}px`;
}
function hideTip() { tip.hidden = true; }
function point(event) {
  const target = event.target.closest ? event.target.closest("[data-tip]") : null;
  if (target) showTip(target.dataset.tip, event.clientX, event.clientY);
  else if (event.target.tagName !== "CANVAS") hideTip();
}
document.addEventListener("pointermove", point);
// A tap does not move the pointer.
document.addEventListener("pointerdown", point);
document.addEventListener("pointerleave", hideTip);
document.addEventListener("scroll", hideTip, { passive: true, capture: true });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") { hideTip(); choose(null); } });

// A click on a heading sorts the table by it; another click reverses the order.
function cellValue(row, column) {
  const cell = row.cells[column];
  const text = (cell.dataset.value ?? cell.textContent).trim();
  const value = Number(text);
  return text !== "" && Number.isFinite(value) ? value : text;
}
function compareValues(a, b) {
  const numbers = (typeof a === "number") + (typeof b === "number");
  if (numbers === 2) return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}
function sortTable(heading) {
  const table = heading.closest("table");
  const column = heading.cellIndex;
  const before = heading.getAttribute("aria-sort");
  const rows = [...table.tBodies[0].rows];
  const keyed = rows.map((row) => ({ row, value: cellValue(row, column) }));
  const numeric = keyed.some(({ value }) => typeof value === "number");
  // Missing numbers come last in both orders.
  const empty = ({ value }) => numeric && typeof value !== "number";
  const sign = before === "ascending" ? -1 : 1;
  keyed.sort((a, b) => empty(a) - empty(b) || sign * compareValues(a.value, b.value));
  all("th", table).forEach((other) => other.removeAttribute("aria-sort"));
  heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
  table.tBodies[0].append(...keyed.map(({ row }) => row));
}
document.addEventListener("click", (event) => {
  const sort = event.target.closest(".sort");
  if (sort) { sortTable(sort.closest("th")); return; }
  const system = event.target.closest("[data-system]");
  if (system) toggle(Number(system.dataset.system));
});

// Highlight the chosen system in every table, chart and heat map.
const choosing = [];
const field = document.getElementById("choose");
const clear = document.getElementById("clear");
function toggle(i) { choose(i === chosen ? null : i); }
function choose(i) {
  chosen = i;
  all("[data-system], [data-row], [data-from]").forEach((element) => {
    const { system, row, from, to } = element.dataset;
    const is = i !== null && (from === undefined ? Number(system ?? row) === i : from <= i && i <= to);
    element.classList.toggle("chosen", is);
    if (element.matches("button")) element.setAttribute("aria-pressed", is);
  });
  field.value = i === null ? "" : systems[i];
  clear.hidden = i === null;
  document.getElementById("chosen").textContent = i === null ? "" : describe(i);
  choosing.forEach((show) => show());
}
function describe(i) {
  const others = systems.filter((_, j) => isUnordered(i, j));
  const most = 6;
  const names = others.slice(0, most).join(", ") + (others.length > most ? ` and ${others.length - most} more` : "");
  const apart = others.length ? `cannot be told apart from ${names}` : "differs from all others";
  const worse = systems.filter((_, j) => isBetter(i, j)).length, better = systems.filter((_, j) => isBetter(j, i)).length;
  return `rank ${i + 1} of ${systems.length}, P(best) ${fixed(data.ranking.p_best[i])}; decided: better than ${worse}, worse than ${better}; ${apart}`;
}
field.addEventListener("input", () => {
  const i = systems.indexOf(field.value);
  if (i >= 0) choose(i);
});
field.addEventListener("change", () => {
  const text = field.value.toLowerCase();
  const exact = systems.indexOf(field.value);
  const i = exact >= 0 || text === "" ? exact : systems.findIndex((name) => name.toLowerCase().includes(text));
  choose(i < 0 ? null : i);
});
clear.addEventListener("click", () => choose(null));

function swapProbability(i, j) {
  if (i === j) return 0;
  return data.swaps[Math.min(i, j)][Math.abs(i - j) - 1] / 1e4;
}
function isBetter(i, j) { return data.better[i][j] === "1"; }
function isUnordered(i, j) { return data.unordered[i][j] === "1"; }

// Draw again when the width of the page or the theme changes.
const drawings = [];
function draw() { drawings.forEach((one) => one()); if (chosen !== null) choose(chosen); }
let waiting = 0;
function drawSoon() { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(draw); }
let lastWidth = 0;
addEventListener("resize", () => {
  const width = document.documentElement.clientWidth;
  if (width !== lastWidth) { lastWidth = width; drawSoon(); }
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawSoon);
// Print in light colours, with all details open.
const folded = [];
addEventListener("beforeprint", () => {
  document.documentElement.dataset.theme = "light";
  folded.push(...all("details:not([open])"));
  folded.forEach((one) => { one.open = true; });
  draw();
});
addEventListener("afterprint", () => {
  delete document.documentElement.dataset.theme;
  folded.splice(0).forEach((one) => { one.open = false; });
  draw();
});
