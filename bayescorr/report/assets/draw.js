// Drawing in SVG, at the width of the page so that text keeps its size.
const markColours = ["--posterior", "--c1", "--c2", "--c3", "--c4"];
function svg(tag, attributes = {}, parent = null, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = text;
  if (parent) parent.append(element);
  return element;
}
function label(parent, x, y, text, attributes = {}) {
  const [base, below] = text.split("_");
  const element = svg("text", { x, y, ...attributes }, parent, base);
  if (below) svg("tspan", { "font-size": "75%", dy: "0.3em" }, element, below);
  return element;
}
function scale(low, high, from, to) { return (value) => from + ((value - low) / (high - low || 1)) * (to - from); }
function ticks(low, high, most) {
  const rough = (high - low) / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) found.push(+(k * step).toPrecision(12));
  return found;
}
function path(points) { return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join(""); }
function band(x, lower, upper) {
  const forth = x.map((value, i) => [value, upper[i]]);
  const back = x.map((value, i) => [value, lower[i]]).reverse();
  return `${path([...forth, ...back])}Z`;
}
function chart(name, height, title, body) {
  const box = document.querySelector(`[data-chart="${name}"]`);
  if (!box) return;
  drawings.push(() => {
    const width = Math.max(box.clientWidth, 200);
    const tall = typeof height === "function" ? height(width) : height;
    const root = svg("svg", { viewBox: `0 0 ${width} ${tall}`, height: tall, role: "img", "aria-label": title });
    body(root, width, tall);
    box.replaceChildren(root);
  });
}
function axes(root, frame, x, y, xTicks, yTicks, xTitle, yTitle) {
  const { left, right, top, bottom } = frame;
  for (const value of yTicks) {
    svg("line", { x1: left, x2: right, y1: y(value), y2: y(value), stroke: "var(--line)" }, root);
    label(root, left - 6, y(value) + 4, String(value), { "text-anchor": "end", class: "quiet" });
  }
  for (const value of xTicks) {
    svg("line", { x1: x(value), x2: x(value), y1: top, y2: bottom, stroke: "var(--line)" }, root);
    label(root, x(value), bottom + 16, String(value), { "text-anchor": "middle", class: "quiet" });
  }
  label(root, (left + right) / 2, bottom + 34, xTitle, { "text-anchor": "middle" });
  // label() would turn an underscore of the title into a subscript.
  if (yTitle) svg("text", { x: left, y: top - 8 }, root, yTitle);
}
