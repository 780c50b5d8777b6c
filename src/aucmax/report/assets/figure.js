// A figure: curves with bands, a button for each, and a crosshair that reads out values by mouse, touch or arrow keys.
function figureNode(figure) {
  const series = listed(figure.series);
  const curves = series.map((one) => points(one, figure));
  const off = new Set();
  const canvas = make("div", { class: "canvas" });
  const readout = make("div", { class: "readout", "aria-hidden": "true", hidden: true });
  const buttons = series.map((one, k) => curveButton(one.name, k, () => toggle(k)));
  let drawing = null;
  let at = null; // index into the places of the crosshair

  function render(room) {
    const width = Math.round(room) || 560;
    if (width === drawing?.room) return; // a new height alone changes nothing
    const height = figure.kind === "roc" ? Math.min(width, 460) : Math.round(Math.min(380, Math.max(260, width * 0.62)));
    drawing = drawn(figure, curves, figure.kind === "roc" ? height : width, height);
    drawing.room = width;
    drawing.root.addEventListener("pointermove", (event) => follow(event.clientX));
    drawing.root.addEventListener("pointerleave", () => read(null));
    drawing.root.addEventListener("keydown", steer);
    drawing.root.addEventListener("blur", () => read(null));
    canvas.replaceChildren(drawing.root, readout);
    apply();
  }

  function toggle(k) {
    if (!off.delete(k)) off.add(k);
    apply();
  }

  function apply() {
    buttons.forEach((node, k) => node.setAttribute("aria-pressed", String(!off.has(k))));
    drawing.groups.forEach((group, k) => group.classList.toggle("off", off.has(k)));
    drawing.places = places(curves, off);
    read(null);
  }

  function follow(clientX) {
    const box = drawing.root.getBoundingClientRect();
    const x = ((clientX - box.left) * drawing.width) / box.width;
    read(nearest(drawing.places, (value) => Math.abs(drawing.axes.x.place(value) - x)));
  }

  function steer(event) {
    const last = drawing.places.length - 1;
    const to = { ArrowRight: Math.min(last, (at ?? -1) + 1), ArrowLeft: Math.max(0, (at ?? last + 1) - 1), Home: 0, End: last }[event.key];
    if (event.key === "Escape") read(null);
    if (to === undefined || last < 0) return;
    event.preventDefault();
    read(to);
  }

  function read(index) {
    at = index;
    const x = index === null ? null : drawing.places[index];
    const found = curves.map((curve, k) => (x === null || off.has(k) ? null : heightAt(curve, drawing.axes, x)));
    const title = `${figure.x ?? "x"} ${brief(x)}`;
    const values = found.map((one, k) => one && { ...one, k, text: (one.exact ? "" : "≈ ") + brief(one.value) }).filter(Boolean);
    values.sort((a, b) => a.y - b.y); // as the curves lie, from the top
    mark(drawing, x, found);
    const upper = values.filter(({ y }) => y < drawing.height / 2).length > values.length / 2;
    readout.classList.toggle("low", upper);
    tell(readout, drawing, x, title, values.map(({ k, text }) => [k, series[k].name ?? "", text]));
    const spoken = values.map(({ k, text }) => `${series[k].name} ${text}`).join(", ");
    drawing.root.setAttribute("aria-valuenow", String(index ?? 0));
    drawing.root.setAttribute("aria-valuetext", x === null ? "no value read out" : `${title}: ${spoken}`);
  }

  const lost = lostPoints(curves);
  const notes = [figure.note, lost ? `${lost} ${lost === 1 ? "point is" : "points are"} missing, or not above zero on a logarithmic axis.` : ""];
  const node = make(
    "figure",
    { id: figure.id, class: figure.kind === "roc" ? "roc" : "lines", tabindex: "-1" },
    make("h3", {}, linked(figure.id, figure.title || figure.id)),
    canvas,
    make("div", { class: "legend", role: "group", "aria-label": "Curves" }, ...buttons),
    ...notes.filter(Boolean).map((text) => make("figcaption", {}, text)),
  );
  if (!curves.flat().some(Boolean)) canvas.append(make("p", { class: "nothing" }, "No points."));
  return { node, render: curves.flat().some(Boolean) ? render : () => {}, canvas };
}

function curveButton(name, k, click) {
  return make("button", { type: "button", class: "curve", "aria-pressed": "true", click }, sample(k), make("span", { class: "name" }, name ?? ""));
}

const sample = (k) =>
  draw("svg", { class: "stroke", viewBox: "0 0 30 8", width: 30, height: 8, "aria-hidden": "true" }, draw("path", { d: "M1 4H29", ...strokeOf(k) }));

function drawn(figure, curves, width, height) {
  const axes = axesOf(figure, curves, width, height);
  const groups = curves.map((curve, k) =>
    draw("g", { class: "series" }, draw("path", { class: `band c${k % COLOURS}`, d: bandPath(curve, axes) }), draw("path", { d: linePath(curve, axes), ...strokeOf(k), class: `line c${k % COLOURS}` }), lone(curve, axes, k)),
  );
  const cross = draw("g", { class: "cross off" }, draw("line", { y1: MARGIN.top, y2: height - MARGIN.bottom }), ...curves.map((_, k) => draw("circle", { class: `c${k % COLOURS}`, r: 3.6 })));
  const root = draw(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "slider", tabindex: "0", "aria-label": `Values of ${figure.title || figure.id}; arrow keys move along the curves`, "aria-valuemin": 0, "aria-valuemax": Math.max(0, places(curves, new Set()).length - 1) },
    frame(figure, axes, width, height),
    ...groups,
    cross,
  );
  return { root, axes, groups, cross, width, height, places: [] };
}

// a point between gaps has no line: it is drawn as a dot
const lone = (curve, axes, k) =>
  draw("g", {}, ...runs(curve, Boolean).filter((part) => part.length === 1).map(([{ x, y }]) => draw("circle", { class: `dot c${k % COLOURS}`, cx: axes.x.place(x), cy: axes.y.place(y), r: 2.6 })));

const places = (curves, off) =>
  [...new Set(curves.filter((_, k) => !off.has(k)).flat().filter(Boolean).map(({ x }) => x))].sort((a, b) => a - b);

function nearest(values, distance) {
  let best = null;
  values.forEach((value, k) => {
    if (best === null || distance(value) < distance(values[best])) best = k;
  });
  return best;
}

// the values beside the crosshair, on the side with more room
function tell(readout, { root, axes, width }, x, title, lines) {
  readout.hidden = x === null;
  if (x === null) return;
  const row = ([k, name, text]) => make("tr", {}, make("td", {}, sample(k)), make("td", { class: "name" }, name), make("td", { class: "value" }, text));
  readout.replaceChildren(make("strong", {}, title), make("table", {}, make("tbody", {}, ...lines.map(row))));
  const place = (axes.x.place(x) * root.getBoundingClientRect().width) / width;
  const room = root.parentNode.clientWidth;
  const left = axes.x.place(x) > width / 2 ? place - readout.offsetWidth - 12 : place + 12;
  readout.style.left = `${Math.max(0, Math.min(left, room - readout.offsetWidth))}px`;
}

function mark({ cross, axes }, x, found) {
  cross.classList.toggle("off", x === null);
  if (x === null) return;
  const [rule, ...dots] = cross.children;
  rule.setAttribute("x1", axes.x.place(x));
  rule.setAttribute("x2", axes.x.place(x));
  dots.forEach((dot, k) => {
    dot.classList.toggle("off", found[k] === null);
    dot.setAttribute("cx", axes.x.place(x));
    dot.setAttribute("cy", found[k]?.y ?? 0);
  });
}
