// The geometry of a figure: clean points, scales, lines, bands, axes.
const COLOURS = 8;
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4", "4 2", "9 3 2 3 2 3", "1 2"];
// colours go round; dashes shift at every round, so that no two of 64 curves look alike
const strokeOf = (k) => ({ class: `c${k % COLOURS}`, "stroke-dasharray": DASHES[(k + Math.floor(k / COLOURS)) % DASHES.length] || null });

const MARGIN = { left: 58, right: 16, top: 30, bottom: 42 };

// points in order; one that has no place on an axis is null, and the line breaks there
function points(series, figure) {
  const fits = (value, logarithmic) => known(value) && (!logarithmic || value > 0);
  return listed(series.x).map((x, k) => {
    const y = series.y[k];
    if (!fits(x, figure.log_x) || !fits(y, figure.log_y)) return null;
    const [low, high] = [series.low?.[k], series.high?.[k]];
    const banded = fits(low, figure.log_y) && fits(high, figure.log_y);
    return { x, y, low: banded ? low : null, high: banded ? high : null };
  });
}

const lostPoints = (curves) => curves.flat().filter((point) => point === null).length;

function axesOf(figure, curves, width, height) {
  const all = curves.flat().filter(Boolean);
  if (!all.length) return null;
  const square = figure.kind === "roc";
  const xs = square ? [0, 1] : extent(all.map(({ x }) => x));
  const ys = square ? [0, 1] : roomy(extent(all.flatMap(({ y, low, high }) => [y, low, high])), figure.log_y);
  if (!square && xs[0] === xs[1]) xs.splice(0, 2, ...roomy(xs, figure.log_x));
  return {
    x: scale(...xs, MARGIN.left, width - MARGIN.right, Boolean(figure.log_x) && !square),
    y: scale(...ys, height - MARGIN.bottom, MARGIN.top, Boolean(figure.log_y) && !square),
  };
}

// the parts of a curve between its gaps
function runs(curve, usable) {
  const parts = [[]];
  for (const point of curve) {
    if (usable(point)) parts.at(-1).push(point);
    else if (parts.at(-1).length) parts.push([]);
  }
  return parts.filter((part) => part.length);
}

const spot = (x, y) => `${x.toFixed(1)} ${y.toFixed(1)}`;

function linePath(curve, axes) {
  return runs(curve, Boolean)
    .map((part) => "M" + part.map(({ x, y }) => spot(axes.x.place(x), axes.y.place(y))).join("L"))
    .join("");
}

function bandPath(curve, axes) {
  const edge = (part, side) => part.map((point) => spot(axes.x.place(point.x), axes.y.place(point[side])));
  return runs(curve, (point) => point !== null && point.low !== null)
    .map((part) => `M${edge(part, "low").join("L")}L${edge(part, "high").reverse().join("L")}Z`)
    .join("");
}

function frame(figure, axes, width, height) {
  const group = draw("g", { class: "axes" });
  const [bottom, right] = [height - MARGIN.bottom, width - MARGIN.right];
  for (const [value, text] of axes.y.ticks(Math.max(3, Math.round(height / 70)))) {
    const y = axes.y.place(value);
    group.append(draw("line", { class: "grid", x1: MARGIN.left, x2: right, y1: y, y2: y }));
    group.append(draw("text", { x: MARGIN.left - 8, y: y + 4, "text-anchor": "end" }, text));
  }
  for (const [value, text] of axes.x.ticks(Math.max(3, Math.round(width / 95)))) {
    const x = axes.x.place(value);
    group.append(draw("line", { x1: x, x2: x, y1: bottom, y2: bottom + 5 }));
    group.append(draw("text", { x, y: bottom + 18, "text-anchor": x > right - 12 ? "end" : "middle" }, text));
  }
  group.append(draw("line", { x1: MARGIN.left, x2: right, y1: bottom, y2: bottom }));
  group.append(draw("text", { class: "name", x: 0, y: 14 }, figure.y ?? ""));
  group.append(draw("text", { class: "name", x: right, y: height - 6, "text-anchor": "end" }, figure.x ?? ""));
  if (figure.kind === "roc") group.append(draw("line", { class: "diagonal", x1: MARGIN.left, y1: bottom, x2: right, y2: MARGIN.top }));
  return group;
}

// where a drawn line is at x, in pixels, and whether x is one of its points; null beyond its ends or in a gap
function heightAt(curve, axes, x) {
  let before = null;
  for (let k = 0; k < curve.length; k += 1) {
    const point = curve[k];
    if (point !== null && point.x === x && curve[k + 1]?.x !== x) return { value: point.y, y: axes.y.place(point.y), exact: true };
    if (point !== null && before !== null && before.x < x && x < point.x) return crossing(before, point, axes, x);
    before = point;
  }
  return null;
}

function crossing(before, after, axes, x) {
  const [from, to] = [axes.x.place(before.x), axes.x.place(after.x)];
  const share = (axes.x.place(x) - from) / (to - from);
  const bend = axes.y.logarithmic ? Math.log : (value) => value;
  const mixed = bend(before.y) * (1 - share) + bend(after.y) * share;
  return { value: axes.y.logarithmic ? Math.exp(mixed) : mixed, y: axes.y.place(before.y) * (1 - share) + axes.y.place(after.y) * share, exact: false };
}
