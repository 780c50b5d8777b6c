// One sortable table. A column: key, title, value(row) to sort by, cell(row) to show, and whether it holds numbers.
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function column(key, title, options = {}) {
  const value = options.value ?? ((row) => row[key] ?? null);
  const cell = options.cell ?? ((row) => String(value(row) ?? ""));
  return { key, title, value, cell, numeric: false, head: null, ...options };
}

const numbers = (key, title, show, options = {}) =>
  column(key, title, { numeric: true, cell: (row) => show(row[key] ?? null), ...options });

const stateColumn = (title = "State") =>
  column("state", title, { value: (row) => rank(row.state), cell: (row) => badge(row.state) });

// in the order of meaning, not of the alphabet
function rank(state) {
  const place = Object.keys(LOOKS).indexOf(state);
  return place < 0 ? null : place;
}

// what is not known comes last, whichever way the rest is sorted
function compared(a, b, sign) {
  const [lost, other] = [a === null || a === "", b === null || b === ""];
  if (lost || other) return Number(lost) - Number(other);
  return sign * (known(a) && known(b) ? a - b : collator.compare(String(a), String(b)));
}

const filledColumns = (columns, rows) =>
  columns.filter(({ key, value }) => rows.some((row) => ![null, undefined, ""].includes(key in row ? row[key] : value(row))));

// the head of a table that needs no scrolling sideways stays in sight; a box that scrolls would hold it back
const fitting = new ResizeObserver((entries) => {
  for (const { target } of entries) target.classList.toggle("fits", target.firstChild.offsetWidth <= target.clientWidth);
});

function sortable(label, columns, rows, grouped = null) {
  const lines = rows.map((row, place) => ({ row, place, shown: true, node: line(columns, row) }));
  const heads = columns.map((one) => head(one, () => sort(one)));
  const body = make("tbody", {}, ...lines.map((one) => one.node));
  let order = { by: null, sign: 1 };

  // ascending, descending, then as it was
  function sort(by) {
    if (order.by !== by) order = { by, sign: 1 };
    else if (order.sign === 1) order = { by, sign: -1 };
    else order = { by: null, sign: 1 };
    heads.forEach((node, k) => announce(node, columns[k] === order.by ? order.sign : 0));
    arrange();
  }

  function arrange() {
    const { by, sign } = order;
    if (by) lines.sort((a, b) => compared(by.value(a.row), by.value(b.row), sign) || a.place - b.place);
    else lines.sort((a, b) => a.place - b.place);
    body.append(...lines.map((one) => one.node));
    rule();
  }

  // a rule where the group changes, so that the eye keeps a set's rows together
  function rule() {
    let before = null;
    for (const { row, shown, node } of lines) {
      if (!shown) continue;
      node.classList.toggle("new", grouped !== null && before !== null && before !== row[grouped]);
      node.classList.toggle("again", grouped !== null && before === row[grouped]);
      before = row[grouped];
    }
  }

  function show(keep) {
    for (const one of lines) {
      one.shown = keep(one.row);
      one.node.hidden = !one.shown;
    }
    rule();
    return lines.filter((one) => one.shown).length;
  }

  rule();
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body);
  table.setAttribute("aria-label", label);
  const box = make("div", { class: "box", role: "region", tabindex: "0", "aria-label": label }, table);
  fitting.observe(box);
  return { node: box, show };
}

const kind = ({ key, numeric }) => `${numeric ? "number" : "text"} col-${key.replaceAll(" ", "-")}`;

function line(columns, row) {
  const cells = columns.map((one, k) =>
    make(k ? "td" : "th", { scope: k ? null : "row", class: kind(one) }, one.cell(row)),
  );
  return make("tr", {}, ...cells);
}

function head(one, click) {
  const button = make("button", { type: "button", click }, one.title, make("span", { class: "arrow", "aria-hidden": "true" }));
  const node = make("th", { scope: "col", class: kind(one), "data-key": one.key }, button, one.head);
  announce(node, 0);
  return node;
}

function announce(node, sign) {
  node.setAttribute("aria-sort", sign === 0 ? "none" : sign > 0 ? "ascending" : "descending");
}
