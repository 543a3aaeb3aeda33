// Charts of a report on several conditions.
const signed = (value, digits = 2) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;
// In place of what a report says of the chosen system.
function describe(i) {
  const words = data.judges.map(({ name, shifts }) => `${name} ${signed(shifts.shift[i])}, P(favoured) ${fixed(shifts.p_favoured[i])}`);
  return `observed rank ${i + 1} of ${systems.length} by ${data.truth}; shift by ${words.join("; by ")}`;
}
function favour(p) { return p >= data.level ? "--c1" : p <= 1 - data.level ? "--posterior" : "--quiet"; }
const diamond = (x, y, r) => `M${x} ${y - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}Z`;

// Densities of tau, one judge below the other, with its name above the curve.
const judgeHeight = 96;
chart("tau", judgeHeight * data.judges.length + 40, "Posterior density of tau by judge", (root, width, height) => {
  const left = 14, right = width - 14;
  const ends = data.judges.flatMap(({ grid, tau }) => [grid[0], grid[grid.length - 1], tau.observed]);
  const low = Math.min(...ends), high = Math.max(...ends), x = scale(low, high, left, right);
  for (const value of ticks(low, high, width / 90)) {
    svg("line", { x1: x(value), x2: x(value), y1: 4, y2: height - 38, stroke: "var(--line)" }, root);
    label(root, x(value), height - 22, String(value), { "text-anchor": "middle", class: "quiet" });
  }
  svg("text", { x: (left + right) / 2, y: height - 4, "text-anchor": "middle" }, root, "τ with the true ranking");
  data.judges.forEach(({ name, grid, density, tau }, j) => {
    const base = judgeHeight * (j + 1) - 18, y = (value) => base - value * (judgeHeight - 40);
    const xs = grid.map(x), ys = density.map(y), paint = `var(${markColours[j % markColours.length]})`;
    svg("path", { d: band(xs, ys.map(() => base), ys), fill: paint, "fill-opacity": 0.22 }, root);
    svg("path", { d: path(xs.map((value, i) => [value, ys[i]])), fill: "none", stroke: paint, "stroke-width": 1.5 }, root);
    const words = `${name}: τ ${fixed(tau.estimate)}\n${percent} interval ${fixed(tau.lower)} to ${fixed(tau.upper)}\nobserved ${fixed(tau.observed)}`;
    const group = svg("g", { class: "mark", "data-tip": words }, root);
    svg("rect", { x: left, y: base - judgeHeight + 30, width: right - left, height: judgeHeight - 14, fill: "transparent" }, group);
    svg("line", { x1: x(tau.lower), x2: x(tau.upper), y1: base + 7, y2: base + 7, stroke: paint, "stroke-width": 2.5 }, group);
    svg("circle", { cx: x(tau.estimate), cy: base + 7, r: 4.5, fill: paint }, group);
    svg("path", { d: diamond(x(tau.observed), base + 7, 5), fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 1.3 }, group);
    // On the side where the curve is lower.
    const peak = xs[ys.indexOf(Math.min(...ys))], at = peak > (left + right) / 2 ? left : right;
    svg("text", { x: at, y: base - judgeHeight / 2 + 16, "text-anchor": at === left ? "start" : "end", style: "font-size:15px;font-weight:600" }, group, name);
  });
});

// True ranks by truth and judge.
data.judges.forEach(({ name, ranks, shifts }, j) => {
  chart(`ranks-${j}`, (width) => Math.min(width, 520), `True ranks by ${data.truth} and by ${name}`, (root, width, height) => {
    const m = systems.length, frame = { left: 36, right: width - 10, top: 24, bottom: height - 44 };
    const x = scale(0.5, m + 0.5, frame.left, frame.right), y = scale(0.5, m + 0.5, frame.top, frame.bottom);
    axes(root, frame, x, y, ticks(1, m, width / 70), ticks(1, m, 8), `true rank by ${data.truth}`, `true rank by ${name}`);
    svg("line", { x1: x(0.5), y1: y(0.5), x2: x(m + 0.5), y2: y(m + 0.5), stroke: "var(--quiet)" }, root);
    systems.forEach((system, i) => {
      const a = data.ranks, b = ranks, paint = `var(${favour(shifts.p_favoured[i])})`;
      const words = `${system}\n${data.truth}: true rank ${fixed(a.rank[i], 1)} (${a.lower[i]} to ${a.upper[i]})\n${name}: ${fixed(b.rank[i], 1)} (${b.lower[i]} to ${b.upper[i]})\nP(favoured) ${fixed(shifts.p_favoured[i])}`;
      const group = svg("g", { class: "mark", "data-tip": words, "data-system": i }, root);
      svg("line", { x1: x(a.lower[i]), x2: x(a.upper[i]), y1: y(b.rank[i]), y2: y(b.rank[i]), stroke: paint, "stroke-opacity": 0.45 }, group);
      svg("line", { x1: x(a.rank[i]), x2: x(a.rank[i]), y1: y(b.lower[i]), y2: y(b.upper[i]), stroke: paint, "stroke-opacity": 0.45 }, group);
      svg("circle", { cx: x(a.rank[i]), cy: y(b.rank[i]), r: m > 60 ? 3 : 4.5, fill: paint, "data-system": i }, group);
    });
  });
});

// Shifts with intervals in the rows of the tables.
drawings.push(() => {
  for (const cell of all("[data-bar]")) {
    const { name, shifts } = data.judges[Number(cell.dataset.judge)], i = Number(cell.dataset.bar);
    const { shift, lower, upper, observed } = shifts;
    const x = scale(Math.min(0, ...lower, ...observed), Math.max(0, ...upper, ...observed), 6, 174);
    const words = `${systems[i]}\nshift by ${name} ${signed(shift[i])}, ${percent} interval ${signed(lower[i])} to ${signed(upper[i])}\nobserved ${signed(observed[i])}`;
    const root = svg("svg", { viewBox: "0 0 180 18", "aria-hidden": true, "data-tip": words });
    svg("rect", { width: 180, height: 18, fill: "transparent" }, root);
    svg("line", { x1: x(0), x2: x(0), y1: 0, y2: 18, stroke: "var(--quiet)" }, root);
    svg("line", { x1: x(lower[i]), x2: x(upper[i]), y1: 9, y2: 9, stroke: `var(${favour(shifts.p_favoured[i])})`, "stroke-width": 3, "stroke-opacity": 0.6 }, root);
    svg("circle", { cx: x(shift[i]), cy: 9, r: 3.5, fill: `var(${favour(shifts.p_favoured[i])})` }, root);
    svg("path", { d: diamond(x(observed[i]), 9, 4.5), fill: "none", stroke: "var(--ink)", "stroke-width": 1.2 }, root);
    all("svg", cell).forEach((old) => old.remove());
    cell.append(root);
    cell.classList.add("drawn");
  }
});
