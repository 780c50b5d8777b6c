// Small pictures in table rows: all rows of a table, or of a group of it, on one scale.
const PICTURE = { width: 132, height: 18, edge: 6 };

const interval = (row) => [row.low ?? null, row.high ?? null];
const deviation = (mean, std) => (known(mean) && known(std) ? [mean - std, mean + std] : [null, null]);

function rowScale(rows) {
  const all = rows.flatMap((row) => [row.printed, row.ours, row.auc, ...interval(row), ...deviation(row.printed, row.printed_std)]);
  const found = extent(all);
  return found && scale(...roomy(found, false), PICTURE.edge, PICTURE.width - PICTURE.edge, false);
}

// lines behind a picture without an axis: the widest spacing that shows two of them at least
const SPACINGS = [[0.1, "thick"], [0.01, "thin"], [0.001, "dotted"]];

function grid(x) {
  const [step, width] = SPACINGS.find(([size]) => x.high - x.low >= 2 * size) ?? SPACINGS.at(-1);
  const group = draw("g", { class: `spacing ${width}` });
  for (let k = Math.ceil(x.low / step); k * step <= x.high; k += 1) {
    group.append(draw("line", { x1: x.place(k * step), x2: x.place(k * step), y1: 0, y2: PICTURE.height }));
  }
  return group;
}

// grey bar: printed mean and one standard deviation to either side; dot and whiskers: ours
function dotPicture(row, x, lines) {
  const { width, height } = PICTURE;
  const middle = height / 2;
  const [low, high] = interval(row);
  const [from, to] = deviation(row.printed, row.printed_std);
  const ours = row.ours ?? row.auc ?? null;
  const picture = draw("svg", { class: `picture ${row.state ? look(row.state)[1] : "ink"}`, viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  if (lines) picture.append(grid(x));
  if (from !== null) picture.append(draw("rect", { class: "printed", x: x.place(from), y: 3, width: Math.max(1, x.place(to) - x.place(from)), height: height - 6 }));
  if (known(row.printed)) picture.append(draw("line", { class: "printed", x1: x.place(row.printed), x2: x.place(row.printed), y1: 1, y2: height - 1 }));
  if (known(low) && known(high)) picture.append(draw("line", { class: "ours", x1: x.place(low), x2: x.place(high), y1: middle, y2: middle }));
  if (known(ours)) picture.append(draw("circle", { class: "ours", cx: x.place(ours), cy: middle, r: 3.4 }));
  return picture;
}

function rowAxis(x) {
  const { width } = PICTURE;
  const axis = draw("svg", { class: "picture axis", viewBox: `0 0 ${width} 16`, width, height: 16, "aria-hidden": "true" });
  for (const [value, text] of x.ticks(3)) {
    const place = x.place(value);
    axis.append(draw("line", { x1: place, x2: place, y1: 12, y2: 16 }), draw("text", { x: place, y: 10, "text-anchor": "middle" }, text));
  }
  return axis;
}

// the interval as a picture and as text; a scale for each group shows intervals that one for all would make dots
function intervalColumn(rows, grouped = null) {
  if (!rowScale(rows)) return null;
  const name = (row) => (grouped ? row[grouped] : null);
  const scales = new Map([...new Set(rows.map(name))].map((one) => [one, rowScale(rows.filter((row) => name(row) === one))]));
  const picture = (row) => scales.get(name(row)) && dotPicture(row, scales.get(name(row)), grouped !== null);
  return column("interval", "95 % interval", {
    value: (row) => row.low ?? row.ours ?? row.auc ?? row.printed ?? null,
    cell: (row) => make("span", { class: "pair" }, picture(row), make("span", { class: "range" }, rangeText(row))),
    head: grouped ? null : rowAxis(rowScale(rows)),
  });
}

const rangeText = (row) => (known(row.low) && known(row.high) ? `${fixed(row.low)}–${fixed(row.high)}` : "");

// how many times faster or slower, from a line at 1 on a logarithmic scale
function ratioColumn(rows) {
  const found = extent(rows.map((row) => (row.ratio > 0 ? row.ratio : null)).concat(1));
  const x = scale(...roomy(found, true), PICTURE.edge, PICTURE.width - PICTURE.edge, true);
  const cell = (row) => {
    const { width, height } = PICTURE;
    const picture = draw("svg", { class: `picture ${row.fair === false ? "unlike" : row.ratio >= 1 ? "better" : "short"}`, viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
    if (row.ratio > 0) {
      const [from, to] = [x.place(1), x.place(row.ratio)].sort((a, b) => a - b);
      picture.append(draw("rect", { class: "ours", x: from, y: 5, width: to - from, height: height - 10 }));
    }
    picture.append(draw("line", { class: "printed", x1: x.place(1), x2: x.place(1), y1: 1, y2: height - 1 }));
    return make("span", { class: "pair" }, picture, make("span", { class: "range" }, (row.fair === false && row.ratio > 0 ? "≈ " : "") + speed(row.ratio)));
  };
  return column("ratio", "Ratio", { cell, head: rowAxis(x) });
}

function speed(ratio) {
  if (!(ratio > 0)) return NOTHING;
  return ratio >= 1 ? `${brief(ratio, 3)}× faster` : `${brief(1 / ratio, 3)}× slower`;
}

// how the rows of a table are divided among the states
function strip(rows) {
  const { height } = PICTURE;
  const width = 200;
  const picture = draw("svg", { class: "picture strip", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  let place = 0;
  for (const state of STATES) {
    const share = (rows.filter((row) => row.state === state).length / rows.length) * width;
    if (share > 0) picture.append(draw("rect", { class: look(state)[1], x: place, y: 3, width: Math.max(1, share - 1), height: height - 6 }));
    place += share;
  }
  return picture;
}
