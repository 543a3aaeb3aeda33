// Charts of the report.
// A method has the same colour in all charts.
const methods = [...new Set([
  ...data.coefficients.flatMap((c) => c.marks.map((mark) => mark.method)),
  ...Object.keys(data.plan ? data.plan.extrapolated : {}),
])];
const methodColour = (method) => `var(${markColours[Math.max(methods.indexOf(method), 0) % markColours.length]})`;

// Densities of the coefficients, with a line for each method below.
const rowHeight = 18, ridge = 84;
chart(
  "coefficients",
  () => data.coefficients.reduce((sum, c) => sum + ridge + rowHeight * c.marks.length + 14, 44),
  "Posterior densities of the coefficients, and estimates with intervals",
  (root, width, height) => {
    const left = Math.min(110, width * 0.24), right = width - 14;
    const ends = data.coefficients.flatMap((c) => [c.grid[0], c.grid[c.grid.length - 1], ...c.marks.flatMap((m) => [m.lower ?? m.x, m.upper ?? m.x])]);
    const low = Math.min(...ends), high = Math.max(...ends), x = scale(low, high, left, right);
    for (const value of ticks(low, high, width / 90)) {
      svg("line", { x1: x(value), x2: x(value), y1: 4, y2: height - 38, stroke: "var(--line)" }, root);
      label(root, x(value), height - 22, String(value), { "text-anchor": "middle", class: "quiet" });
    }
    label(root, (left + right) / 2, height - 4, "correlation of the observed with the true ranking", { "text-anchor": "middle" });
    let top = 8;
    for (const c of data.coefficients) {
      const base = top + ridge - 8, y = (value) => base - value * (ridge - 14);
      const xs = c.grid.map(x), ys = c.density.map(y);
      svg("path", { d: band(xs, ys.map(() => base), ys), fill: "var(--posterior)", "fill-opacity": 0.22 }, root);
      svg("path", { d: path(xs.map((value, i) => [value, ys[i]])), fill: "none", stroke: "var(--posterior)", "stroke-width": 1.5 }, root);
      label(root, 2, base - 10, c.name, { style: "font-size:18px;font-weight:600" });
      c.marks.forEach((mark, k) => {
        const middle = base + rowHeight * (k + 0.8), paint = methodColour(mark.method);
        const interval = mark.lower === null ? "" : `\n${percent} interval ${fixed(mark.lower)} to ${fixed(mark.upper)}`;
        const group = svg("g", { class: "mark", "data-tip": `${mark.method}: ${fixed(mark.x)}${interval}` }, root);
        svg("rect", { x: 0, y: middle - rowHeight / 2, width, height: rowHeight, fill: "transparent" }, group);
        svg("text", { x: left - 8, y: middle + 4, "text-anchor": "end" }, group, mark.method);
        if (interval) svg("line", { x1: x(mark.lower), x2: x(mark.upper), y1: middle, y2: middle, stroke: paint, "stroke-width": 2 }, group);
        svg("circle", { cx: x(mark.x), cy: middle, r: 4.5, fill: paint }, group);
      });
      top = base + rowHeight * c.marks.length + 22;
    }
  },
);

// Means and intervals in the rows of the ranking.
drawings.push(() => {
  const { lower, upper, observed_mean: observed, true_mean: mean } = data.ranking;
  const low = Math.min(...lower, ...observed), high = Math.max(...upper, ...observed);
  const x = scale(low, high, 6, 174);
  for (const cell of all("[data-bar]")) {
    const i = Number(cell.dataset.bar);
    const words = `${systems[i]}\nobserved ${data.kind} ${fixed(observed[i], 4)}\nposterior mean ${fixed(mean[i], 4)}, ${percent} interval ${fixed(lower[i])} to ${fixed(upper[i])}`;
    const root = svg("svg", { viewBox: "0 0 180 18", "aria-hidden": true, "data-tip": words });
    svg("rect", { width: 180, height: 18, fill: "transparent" }, root);
    svg("line", { x1: x(lower[i]), x2: x(upper[i]), y1: 9, y2: 9, stroke: "var(--posterior)", "stroke-width": 3, "stroke-opacity": 0.5 }, root);
    svg("circle", { cx: x(mean[i]), cy: 9, r: 3.5, fill: "var(--posterior)" }, root);
    svg("path", { d: `M${x(observed[i])} 4.5l4.5 4.5l-4.5 4.5l-4.5 -4.5Z`, fill: "none", stroke: "var(--ink)", "stroke-width": 1.2 }, root);
    all("svg", cell).forEach((old) => old.remove());
    cell.append(root);
    cell.classList.add("drawn");
  }
});

// Predicted tau by number of topics.
if (data.plan) {
  chart("plan", (width) => (width < 600 ? 290 : 340), "tau with the true ranking by number of topics", (root, width, height) => {
    const p = data.plan, frame = { left: 40, right: width - 16, top: 26, bottom: height - 44 };
    const others = Object.entries(p.extrapolated);
    const low = Math.min(...p.lower, p.target, ...others.flatMap(([, ys]) => ys)), high = 1;
    const x = scale(0, Math.max(...p.n_topics), frame.left, frame.right), y = scale(low - 0.01, high, frame.bottom, frame.top);
    axes(root, frame, x, y, ticks(0, Math.max(...p.n_topics), width / 90), ticks(low, high, 6), "number of topics", "τ with the true ranking");
    const xs = p.n_topics.map(x);
    svg("path", { d: band(xs, p.lower.map(y), p.upper.map(y)), fill: "var(--posterior)", "fill-opacity": 0.2 }, root);
    svg("line", { x1: frame.left, x2: frame.right, y1: y(p.target), y2: y(p.target), stroke: "var(--ink)", "stroke-dasharray": "8 3 2 3" }, root);
    label(root, frame.left + 4, y(p.target) - 5, `target ${p.target}`);
    svg("line", { x1: x(p.now), x2: x(p.now), y1: frame.top, y2: frame.bottom, stroke: "var(--quiet)", "stroke-dasharray": "2 3" }, root);
    label(root, x(p.now) + 4, frame.bottom - 6, "observed", { class: "quiet" });
    svg("path", { d: path(xs.map((value, i) => [value, y(p.estimate[i])])), fill: "none", stroke: "var(--posterior)", "stroke-width": 2 }, root);
    others.forEach(([method, ys], k) => {
      svg("path", { d: path(xs.map((value, i) => [value, y(ys[i])])), fill: "none", stroke: methodColour(method), "stroke-width": 1.5, "stroke-dasharray": k ? "2 3" : "6 4" }, root);
    });
    const keys = [["model", ""], ...others.map(([method], k) => [method, k ? "2 3" : "6 4"])];
    keys.forEach(([method, dashes], k) => {
      const at = frame.right - 78, line = frame.bottom - 14 - 18 * (keys.length - 1 - k);
      svg("line", { x1: at, x2: at + 24, y1: line, y2: line, stroke: methodColour(method), "stroke-width": 2, "stroke-dasharray": dashes }, root);
      svg("text", { x: at + 30, y: line + 4 }, root, method);
    });
    p.n_topics.forEach((n, i) => {
      const extra = others.map(([method, ys]) => `\n${method}: ${fixed(ys[i])}`).join("");
      const words = `${n} new topics: τ ${fixed(p.estimate[i])}\n${percent} of sets ${fixed(p.lower[i])} to ${fixed(p.upper[i])}\nP(τ ≥ ${p.target}) ${fixed(p.p_target[i])}${extra}`;
      const spot = svg("g", { "data-tip": words }, root);
      svg("circle", { cx: xs[i], cy: y(p.estimate[i]), r: 12, fill: "transparent" }, spot);
      svg("circle", { cx: xs[i], cy: y(p.estimate[i]), r: 4, fill: "var(--posterior)" }, spot);
    });
  });
}

// Posterior predictive check.
if (data.predicted) {
  chart("means", 300, "Observed mean scores with predictive intervals", (root, width, height) => {
    const t = data.predicted.means, m = systems.length, frame = { left: 44, right: width - 10, top: 24, bottom: height - 44 };
    const low = Math.min(...t.lower, ...t.observed), high = Math.max(...t.upper, ...t.observed);
    const x = scale(1, m, frame.left + 6, frame.right - 6), y = scale(low, high, frame.bottom, frame.top);
    axes(root, frame, x, y, ticks(1, m, width / 70), ticks(low, high, 5), "observed rank", data.meanLabel);
    const xs = t.observed.map((_, i) => x(i + 1));
    svg("path", { d: band(xs, t.lower.map(y), t.upper.map(y)), fill: "var(--posterior)", "fill-opacity": 0.22 }, root);
    svg("path", { d: path(xs.map((value, i) => [value, y(t.median[i])])), fill: "none", stroke: "var(--posterior)", "stroke-width": 1.5 }, root);
    t.observed.forEach((value, i) => {
      const words = `${systems[i]}: observed ${fixed(value, 4)}\npredicted ${fixed(t.median[i], 4)}, ${percent} interval ${fixed(t.lower[i])} to ${fixed(t.upper[i])}`;
      svg("circle", { cx: xs[i], cy: y(value), r: m > 60 ? 2.5 : 4, fill: "var(--ink)", "data-tip": words, "data-system": i }, root);
    });
  });
  chart("sds", 300, "Observed and predicted standard deviations of differences", (root, width, height) => {
    const { pairs: t, band: b } = data.predicted, frame = { left: 44, right: width - 10, top: 24, bottom: height - 44 };
    const high = 1.03 * Math.max(...t.observed, ...b.upper);
    const x = scale(0, high, frame.left, frame.right), y = scale(0, high, frame.bottom, frame.top);
    axes(root, frame, x, y, ticks(0, high, width / 70), ticks(0, high, 5), "observed sd", "predicted sd");
    svg("path", { d: band(b.observed.map(x), b.lower.map(y), b.upper.map(y)), fill: "var(--posterior)", "fill-opacity": 0.22 }, root);
    svg("line", { x1: x(0), y1: y(0), x2: x(high), y2: y(high), stroke: "var(--quiet)" }, root);
    const dots = t.observed.map((value, k) => {
      const words = `${systems[t.a[k]]} and ${systems[t.b[k]]}\nobserved sd ${fixed(value)}, predicted ${fixed(t.median[k])}`;
      return svg("circle", { cx: x(value), cy: y(t.median[k]), r: 2.6, fill: "var(--posterior)", "fill-opacity": 0.7, "data-tip": words }, root);
    });
    const show = () => dots.forEach((dot, k) => dot.classList.toggle("chosen", chosen !== null && (t.a[k] === chosen || t.b[k] === chosen)));
    choosing.splice(0, choosing.length, ...choosing.filter((one) => one.of !== "sds"), Object.assign(show, { of: "sds" }));
  });
}
