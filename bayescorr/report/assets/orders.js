// Which systems are better than which: intervals of true ranks, and marks beside a system.

// Mark the systems that are worse and better than system i; without one, those of the chosen system.
function relate(i = null) {
  const of = i ?? chosen;
  all("[data-row], [data-rank]").forEach((element) => {
    const other = Number(element.dataset.row ?? element.dataset.rank);
    element.classList.toggle("worse", of !== null && isBetter(of, other));
    element.classList.toggle("better", of !== null && isBetter(other, of));
  });
}
choosing.push(() => relate());
function systemAt(element) {
  const found = element.closest ? element.closest("[data-row], [data-rank], [data-system]") : null;
  return found ? Number(found.dataset.row ?? found.dataset.rank ?? found.dataset.system) : null;
}
// A system under the pointer or with the focus is shown until the pointer or the focus leaves.
for (const [enter, leave] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
  document.addEventListener(enter, (event) => { const i = systemAt(event.target); if (i !== null) relate(i); });
  document.addEventListener(leave, (event) => { if (systemAt(event.target) !== null) relate(); });
}

const rankRow = systems.length > 60 ? 11 : 18;
chart("rankIntervals", () => 24 + rankRow * systems.length + 40, "Intervals of the true ranks", (root, width, height) => {
  const m = systems.length, { rank_lower: low, rank_upper: high, joint_rank_lower: from, joint_rank_upper: to } = data.ranking;
  const small = rankRow < 14, left = Math.min(170, width * 0.3), bottom = height - 40;
  const x = scale(1, m, left + 8, width - 12), most = Math.floor(left / (small ? 6.2 : 7));
  for (const value of [1, ...ticks(1, m, width / 90).filter((one) => one > 1)]) {
    svg("line", { x1: x(value), x2: x(value), y1: 8, y2: bottom, stroke: "var(--line)" }, root);
    label(root, x(value), bottom + 16, String(value), { "text-anchor": "middle", class: "quiet" });
  }
  label(root, (left + width) / 2, height - 6, "true rank", { "text-anchor": "middle" });
  systems.forEach((name, i) => {
    const y = 14 + rankRow * (i + 0.5);
    const words = `${name}: median true rank ${data.medianRanks[i]}\n${percent} interval ${low[i]} to ${high[i]}\nall together ${from[i]} to ${to[i]}`;
    const group = svg("g", { class: "rank", "data-rank": i, "data-system": i, "data-tip": words }, root);
    svg("rect", { x: 0, y: y - rankRow / 2, width, height: rankRow, fill: "transparent" }, group);
    const short = name.length > most ? `${name.slice(0, most - 1)}…` : name;
    svg("text", { x: left - 4, y: y + 4, "text-anchor": "end", ...(small ? { style: "font-size:10px" } : {}) }, group, short);
    svg("line", { class: "joint", x1: x(from[i]), x2: x(to[i]), y1: y, y2: y, "stroke-width": 1.3 }, group);
    svg("line", { class: "alone", x1: x(low[i]), x2: x(high[i]), y1: y, y2: y, "stroke-width": small ? 4 : 6 }, group);
    svg("circle", { cx: x(data.medianRanks[i]), cy: y, r: small ? 2.6 : 4 }, group);
  });
});
