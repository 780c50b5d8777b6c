// The papers' tables, and the one bar of filters over all of them.
// a mean and its deviation; where one is missing its room is kept, so that means stay in line
function spreadColumn(rows, key, title) {
  const std = `${key}_std`;
  const any = rows.some((row) => known(row[std]));
  const deviation = (row) => make("span", { class: "std" }, known(row[key]) && known(row[std]) ? `±${spread(row[std])}` : "");
  return column(key, title, { numeric: true, cell: (row) => make("span", {}, fixed(row[key] ?? null), any ? deviation(row) : null) });
}

// in the colour of the state, with its mark: on a phone the state itself is out of sight
function difference(row) {
  if (!known(row.difference)) return NOTHING;
  const [mark, colour] = look(row.state);
  return make("span", { class: colour }, make("span", { class: "mark small", "aria-hidden": "true" }, mark), signed(row.difference));
}

const reason = (row) => {
  const parts = [row.cause ? make("div", {}, row.cause) : null, row.params ? make("div", { class: "params" }, row.params) : null];
  return make("div", {}, ...parts.filter(Boolean));
};
// rows with a cause first, then by parameters
const reasonOrder = (row) => (row.cause ? `0 ${row.cause}` : row.params ? `1 ${row.params}` : null);

function paperColumns(rows) {
  const columns = [
    column("set", "Data set"),
    column("algorithm", "Algorithm"),
    spreadColumn(rows, "printed", "Printed"),
    spreadColumn(rows, "ours", "Ours"),
    numbers("difference", "Difference", null, { cell: difference }),
    stateColumn(),
    intervalColumn(rows, "set"),
    numbers("shipped", "As shipped", fixed),
    numbers("seconds", "Seconds", (value) => brief(value, 3)),
    numbers("printed_seconds", "Printed seconds", (value) => brief(value, 3)),
    numbers("runs", "Runs", null, { cell: ({ runs, planned }) => (known(planned) && runs !== planned ? `${brief(runs)} of ${planned}` : brief(runs)) }),
    column("reason", "Cause, parameters", { value: reasonOrder, cell: reason }),
  ];
  return filledColumns(columns.filter(Boolean), rows);
}

function paperSection(table) {
  const rows = listed(table.rows);
  const count = make("p", { class: "count" });
  const grid = sortable(table.title || table.id, paperColumns(rows), rows, "set");
  const node = make(
    "section",
    { id: table.id, class: "paper", tabindex: "-1" },
    make("h3", {}, make("span", { class: "over" }, table.paper ?? ""), table.title || table.id),
    table.protocol ? make("p", { class: "protocol" }, table.protocol) : null,
    table.note ? make("p", { class: "note" }, table.note) : null,
    count,
    grid.node,
  );
  const text = (row) => [row.set, row.algorithm, row.state, row.cause, row.params, table.paper, table.title].join("\n").toLowerCase();
  const words = new Map(rows.map((row) => [row, text(row)]));
  return { table, rows, node, count, grid, words };
}

// a row passes when it meets every filter but the one left out
function passes(section, row, wanted, without = null) {
  if (without !== "table" && wanted.table && wanted.table !== section.table.id) return false;
  if (without !== "set" && wanted.set && wanted.set !== row.set) return false;
  if (without !== "algorithm" && wanted.algorithm && wanted.algorithm !== row.algorithm) return false;
  if (without !== "state" && wanted.state.length && !wanted.state.includes(row.state)) return false;
  return wanted.find.toLowerCase().split(/\s+/).every((word) => section.words.get(row).includes(word));
}

function choice(name, title, options, changed) {
  const select = make("select", { name, change: changed }, make("option", { value: "" }, "all"));
  for (const [value, text] of options) select.append(make("option", { value }, text));
  return { select, node: make("label", {}, title, select) };
}

// a link may name what is not here: it is then shown as chosen, and matches nothing
function choose(select, value) {
  if (![...select.options].some((option) => option.value === value)) select.append(make("option", { value }, `${value} (not here)`));
  select.value = value;
}

const distinct = (sections, key) =>
  [...new Set(sections.flatMap(({ rows }) => rows.map((row) => row[key])))].filter(Boolean).sort(collator.compare).map((name) => [name, name]);

function filterBar(sections, changed) {
  const find = make("input", { type: "search", name: "find", placeholder: "any text", autocomplete: "off", input: () => changed(read()) });
  const act = () => changed(read());
  const choices = {
    table: choice("table", "Table", sections.map(({ table }) => [table.id, table.title || table.id]), act),
    set: choice("set", "Data set", distinct(sections, "set"), act),
    algorithm: choice("algorithm", "Algorithm", distinct(sections, "algorithm"), act),
  };
  const present = STATES.filter((state) => sections.some(({ rows }) => rows.some((row) => row.state === state)));
  const buttons = present.map((state) => stateButton(state, act));
  const count = make("output", { class: "total", "aria-live": "polite" });
  const reset = make("button", { type: "button", class: "reset", click: () => changed(EVERYTHING) }, "Show all");

  const read = () => ({
    find: find.value.trim(),
    ...Object.fromEntries(Object.entries(choices).map(([key, { select }]) => [key, select.value])),
    state: buttons.filter(({ node }) => node.getAttribute("aria-pressed") === "true").map(({ state }) => state),
  });

  function show(wanted) {
    if (find.value.trim() !== wanted.find) find.value = wanted.find;
    for (const [key, { select }] of Object.entries(choices)) choose(select, wanted[key]);
    for (const { state, node, number } of buttons) {
      node.setAttribute("aria-pressed", String(wanted.state.includes(state)));
      number.textContent = sum(sections, (section, row) => row.state === state && passes(section, row, wanted, "state"));
    }
    reset.disabled = isEverything(wanted);
  }

  const node = make(
    "form",
    { class: "filters", role: "search", "aria-label": "Filter the tables", submit: (event) => event.preventDefault() },
    make("label", { class: "find" }, "Find", find),
    ...Object.values(choices).map((one) => one.node),
    make("div", { class: "states", role: "group", "aria-label": "States" }, ...buttons.map((one) => one.node)),
    make("div", { class: "outcome" }, count, reset),
  );
  return { node, show, count };
}

function stateButton(state, act) {
  const number = make("span", { class: "tally" });
  const press = (event) => {
    const button = event.currentTarget;
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    act();
  };
  const node = make("button", { type: "button", class: "state", "aria-pressed": "false", "data-state": state, click: press }, badge(state), number);
  return { state, node, number };
}

const sum = (sections, counts) =>
  sections.reduce((total, section) => total + section.rows.filter((row) => counts(section, row)).length, 0);

// the section of all papers' tables, and how to show a choice of their rows
function papers(tables, changed) {
  const sections = tables.map(paperSection);
  const bar = filterBar(sections, changed);
  const nothing = make("p", { class: "nothing", hidden: true }, "No row meets these filters.");
  const node = make("section", { id: "table", tabindex: "-1" }, make("h2", {}, "The papers’ tables"), legend(sections.flatMap(({ rows }) => rows)), key(), bar.node, nothing, ...sections.map((one) => one.node));

  function show(wanted) {
    let total = 0;
    for (const section of sections) {
      const shown = section.grid.show((row) => passes(section, row, wanted));
      section.count.textContent = `${shown} of ${section.rows.length} rows`;
      section.node.hidden = shown === 0 && !isEverything(wanted);
      total += shown;
    }
    bar.count.textContent = `${total} of ${sum(sections, () => true)} rows`;
    nothing.hidden = total > 0;
    bar.show(wanted);
  }
  return { node, show };
}
