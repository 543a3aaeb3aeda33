// Heat maps on a canvas, since thousands of cells would be too many elements.
function mix(share) {
  const from = colour("--cool").split(",").map(Number), to = colour("--deep").split(",").map(Number);
  const paper = colour("--paper").replace("#", "").match(/../g).map((pair) => parseInt(pair, 16));
  const [first, second, part] = share < 0.6 ? [paper, from, share / 0.6] : [from, to, (share - 0.6) / 0.4];
  return `rgb(${first.map((value, i) => Math.round(value + (second[i] - value) * part)).join(",")})`;
}
function rankClass(value) {
  const edges = data.rankClasses;
  let k = 0;
  while (k < edges.length - 2 && value >= edges[k + 1]) k += 1;
  return k;
}
const classShare = (k) => (value) => (value === 0 ? 0 : (k + 0.35) / (data.rankClasses.length - 1.65));
const maps = {
  ranks: {
    value: (row, column) => data.ranks[row][column] / 1e4,
    share: (value) => classShare(rankClass(value))(value),
    words: (row, column, value) => `${systems[row]}: P(true rank ${column + 1}) = ${fixed(value)}`,
    columns: "true rank",
    symmetric: false,
  },
  swaps: {
    value: swapProbability,
    share: (value) => Math.min(value / 0.5, 1),
    words: (row, column, value) => (row === column ? systems[row] : `${systems[Math.min(row, column)]} above ${systems[Math.max(row, column)]}: P(swapped) = ${fixed(value)}${isUnordered(row, column) ? ", cannot be told apart" : ""}`),
    columns: "observed rank",
    symmetric: true,
  },
};

function heatmap(name) {
  const map = maps[name], box = document.querySelector(`[data-heatmap="${name}"]`);
  const canvas = box.querySelector("canvas"), reading = box.nextElementSibling, m = systems.length;
  let frame = null, cursor = null;

  function layout() {
    const width = box.clientWidth, ratio = window.devicePixelRatio || 1;
    // Label rows with names if they fit, otherwise with observed ranks.
    const wide = width >= 700 && (width - 170) / m >= 11;
    const left = wide ? 150 : 34, top = 6, below = 36;
    // Whole device pixels, to avoid seams between the cells.
    const cell = Math.max(Math.floor(clamp((width - left - 4) / m, 1, 24) * ratio) / ratio, 1 / ratio);
    frame = { left, top, cell, size: cell * m, wide, ratio, width: left + cell * m + 4, height: top + cell * m + below };
    canvas.style.width = `${frame.width}px`;
    canvas.style.height = `${frame.height}px`;
    canvas.width = Math.round(frame.width * ratio);
    canvas.height = Math.round(frame.height * ratio);
  }
  function paint() {
    const { left, top, cell, size, wide, ratio } = frame, pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, frame.width, frame.height);
    const shades = Array.from({ length: 101 }, (_, i) => mix(i / 100));
    for (let row = 0; row < m; row += 1) {
      for (let column = 0; column < m; column += 1) {
        const share = map.share(map.value(row, column));
        if (share === 0) continue;
        pen.fillStyle = shades[Math.round(100 * share)];
        pen.fillRect(left + column * cell, top + row * cell, cell, cell);
      }
    }
    pen.strokeStyle = colour("--line");
    pen.lineWidth = 1;
    pen.strokeRect(left - 0.5, top - 0.5, size + 1, size + 1);
    if (map.symmetric) outline(pen);
    letters(pen);
    if (chosen !== null) {
      pen.strokeStyle = colour("--chosen");
      pen.lineWidth = 2;
      pen.strokeRect(left - 1, top + chosen * cell - 1, size + 2, cell + 2);
      if (map.symmetric) pen.strokeRect(left + chosen * cell - 1, top - 1, cell + 2, size + 2);
    }
    if (cursor) {
      pen.strokeStyle = colour("--ink");
      pen.lineWidth = 2;
      pen.strokeRect(left + cursor.column * cell - 1, top + cursor.row * cell - 1, cell + 2, cell + 2);
    }
  }
  // Outline the pairs that cannot be told apart.
  function outline(pen) {
    const { left, top, cell } = frame;
    const known = (i, j) => i >= 0 && j >= 0 && i < m && j < m;
    // A cell of the diagonal belongs to the pairs beside it; a system without such pairs has no outline.
    const joined = (i) => [i - 1, i + 1].some((j) => known(i, j) && isUnordered(i, j));
    const inside = (i, j) => known(i, j) && (i === j ? joined(i) : isUnordered(i, j));
    pen.strokeStyle = colour("--chosen");
    pen.lineWidth = cell < 4 ? 0.7 : 1.2;
    pen.beginPath();
    for (let i = 0; i < m; i += 1) {
      for (let j = 0; j < m; j += 1) {
        const x = left + j * cell, y = top + i * cell;
        if (inside(i, j) !== inside(i, j + 1) && j + 1 < m) { pen.moveTo(x + cell, y); pen.lineTo(x + cell, y + cell); }
        if (inside(i, j) !== inside(i + 1, j) && i + 1 < m) { pen.moveTo(x, y + cell); pen.lineTo(x + cell, y + cell); }
      }
    }
    pen.stroke();
  }
  function letters(pen) {
    const { left, top, cell, size, wide } = frame;
    pen.font = `${clamp(cell - 1, 9, 12)}px system-ui, sans-serif`;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    const step = ticks(0, m, Math.max(size / 32, 1))[1] || m;
    for (let row = 0; row < m; row += 1) {
      const y = top + (row + 0.5) * cell;
      pen.fillStyle = colour(row === chosen ? "--chosen" : "--ink");
      if (wide) pen.fillText(systems[row].length > 22 ? `${systems[row].slice(0, 21)}…` : systems[row], left - 6, y);
      else if (row === 0 || (row + 1) % step === 0) pen.fillText(String(row + 1), left - 6, y);
    }
    pen.fillStyle = colour("--ink");
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "center";
    for (let column = 0; column < m; column += 1) {
      const near = column > 0 && column + 1 < step / 2 + 1;
      if (column === 0 || (!near && (column + 1) % step === 0)) pen.fillText(String(column + 1), left + (column + 0.5) * cell, top + size + 10);
    }
    pen.textAlign = "left";
    pen.fillText(`${map.columns} →${wide ? "" : "   (rows: observed rank ↓)"}`, left, top + size + 27);
  }
  function at(event) {
    const box = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - frame.left) / frame.cell);
    const row = Math.floor((event.clientY - box.top - frame.top) / frame.cell);
    // A label belongs to its row.
    const beside = column < 0 && event.clientX >= box.left;
    if (row < 0 || row >= m || column >= m) return null;
    return { row, column: beside ? null : column };
  }
  function read(row, column) {
    const words = map.words(row, column, map.value(row, column));
    reading.textContent = words;
    return words;
  }
  canvas.addEventListener("pointermove", (event) => {
    const found = at(event);
    if (!found) { hideTip(); return; }
    showTip(found.column === null ? systems[found.row] : read(found.row, found.column), event.clientX, event.clientY);
  });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("click", (event) => {
    const found = at(event);
    if (!found) return;
    if (found.column !== null) read(found.row, found.column);
    toggle(found.row);
  });
  canvas.addEventListener("keydown", (event) => {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (event.key === "Enter" && cursor) { toggle(cursor.row); event.preventDefault(); return; }
    if (!(event.key in moves)) return;
    const [down, right] = moves[event.key];
    cursor = cursor ? { row: clamp(cursor.row + down, 0, m - 1), column: clamp(cursor.column + right, 0, m - 1) } : { row: 0, column: 0 };
    read(cursor.row, cursor.column);
    paint();
    event.preventDefault();
  });
  canvas.addEventListener("blur", () => { cursor = null; paint(); });
  drawings.push(() => { layout(); paint(); legend(name); });
  choosing.push(paint);
}
function legend(name) {
  const box = document.querySelector(`[data-legend="${name}"]`), edges = data.rankClasses;
  const entries = name === "ranks"
    ? edges.slice(0, -1).map((edge, k) => [classShare(k)(1), `${edge}–${edges[k + 1]}`])
    : [0, 0.1, 0.2, 0.3, 0.4, 0.5].map((value) => [value / 0.5, value === 0.5 ? "0.5 or more" : String(value)]);
  box.replaceChildren(...entries.map(([share, words]) => {
    const entry = document.createElement("span"), patch = document.createElement("i");
    patch.style.background = mix(share);
    entry.append(patch, words);
    return entry;
  }));
}
heatmap("ranks");
heatmap("swaps");
