// The page, from the facts in it.
const facts = JSON.parse(document.getElementById("facts").textContent);
const main = document.getElementById("main");

function masthead() {
  const about = [
    facts.version && `aucmax ${facts.version}`,
    facts.commit && `commit ${facts.commit}`,
    facts.machine,
    facts.created && moment(facts.created),
  ];
  return make(
    "header",
    {},
    make("h1", {}, facts.title || "Results"),
    make("p", { class: "about" }, ...about.filter(Boolean).map((text) => make("span", {}, text))),
    facts.quick ? make("p", { class: "quick" }, make("strong", {}, "Quick run."), " A shortened protocol: the figures of a full run may differ.") : null,
    themeButton(),
  );
}

function moment(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function themeButton() {
  const dark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const button = make("button", { type: "button", class: "theme", click: turn }, "Dark");
  const say = () => button.setAttribute("aria-pressed", String(dark()));
  function turn() {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    memory.set("aucmax-theme", document.documentElement.dataset.theme);
    say();
  }
  const kept = memory.get("aucmax-theme");
  if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", say);
  say();
  return button;
}

function summarySection() {
  const { lines, counts } = facts.summary ?? {};
  const tables = listed(facts.tables).filter((table) => listed(table.rows).length);
  return section(
    "summary",
    "Summary",
    ...listed(lines).map((text) => make("p", { class: "lead" }, text)),
    listed(counts).length ? make("dl", { class: "counts" }, ...counts.map(countNode)) : null,
    tables.length ? overview(tables).node : null,
  );
}

function countNode({ name, value, state }) {
  const [mark, colour] = look(state);
  const words = make("span", {}, mark ? make("span", { class: `mark ${colour}`, "aria-hidden": "true" }, mark) : null, name ?? "");
  const term = STATES.includes(state) ? make("a", { href: link("table", { ...EVERYTHING, state: [state] }) }, words) : words;
  return make("div", { class: colour }, make("dd", {}, brief(value ?? null)), make("dt", {}, term));
}

// one line per paper's table: how many rows are in which state
function overview(tables) {
  const rows = tables.map((table) => ({ table, rows: table.rows, total: table.rows.length }));
  const tally = (row, state) => row.rows.filter((one) => one.state === state).length;
  const present = STATES.filter((state) => rows.some((row) => tally(row, state)));
  const columns = [
    column("title", "Table", { value: ({ table }) => table.title || table.id, cell: ({ table }) => make("span", {}, table.paper ? make("span", { class: "over" }, table.paper) : null, linked(table.id, table.title || table.id)) }),
    ...present.map((state) => column(state, state, { numeric: true, value: (row) => tally(row, state), cell: (row) => String(tally(row, state) || "·"), head: make("span", { class: `mark ${look(state)[1]}`, "aria-hidden": "true" }, look(state)[0]) })),
    column("total", "rows", { numeric: true }),
    column("strip", "share", { value: (row) => (tally(row, "better") + tally(row, "reproduced")) / row.total, cell: (row) => strip(row.rows) }),
  ];
  return sortable("The tables at a glance", columns, rows);
}

const section = (id, title, ...children) => {
  const content = children.filter((child) => child !== null);
  return content.length ? make("section", { id, tabindex: "-1" }, make("h2", {}, title), ...content) : null;
};

// a part without rows is left out, unless a note says how to fill it
function tableSection(id, title, rows, columns, note = null, grouped = null) {
  const notes = [rows.length ? note : null, facts.notes?.[id]].filter(Boolean).map((text) => make("p", { class: "note" }, text));
  if (!rows.length && !notes.length) return null;
  return section(id, title, ...notes, rows.length ? sortable(title, filledColumns(columns.filter(Boolean), rows), rows, grouped).node : null);
}

const likeness = ({ fair }) => (fair === undefined || fair === null ? "" : fair ? "yes" : "no");

const plainSections = () => [
  tableSection("leaderboard", "Leaderboard", listed(facts.leaderboard), [
    column("name", "Model"),
    numbers("auc", "AUC", fixed),
    intervalColumn(listed(facts.leaderboard)),
    numbers("seconds", "Seconds", (value) => brief(value, 3)),
    column("note", "Note"),
  ]),
  tableSection("rates", "Rates of convergence", listed(facts.rates), [
    column("algorithm", "Algorithm"), column("promised", "Promised"), column("measured", "Measured"), stateColumn(), column("note", "Note"),
  ]),
  tableSection("timings", "Training times", listed(facts.timings), [
    column("set", "Data set"), column("algorithm", "Algorithm"),
    numbers("printed", "Theirs, seconds", (value) => brief(value, 3)), numbers("ours", "Ours, seconds", (value) => brief(value, 3)),
    ratioColumn(listed(facts.timings)), column("fair", "Like for like", { value: likeness }), column("note", "Note"),
  ], "The ratio is their time over ours, on a logarithmic scale; the upright line is 1. Filled bars: the same rows and passes; hollow ones, marked ≈: other rows or passes, an order of magnitude only."),
  tableSection("rivals", "Beside other libraries", listed(facts.rivals), [
    column("set", "Data set"), column("model", "Model"), column("library", "Library"),
    numbers("seconds", "Seconds", (value) => brief(value, 3)), numbers("auc", "Test AUC", fixed),
    numbers("rows", "Training rows", (value) => brief(value)), numbers("columns", "Columns", (value) => brief(value)),
  ], null, "set"),
  errataSection(),
];

function againSection() {
  const commands = listed(facts.again).map((text) => {
    const said = make("span", { role: "status", class: "said" });
    const copy = () => navigator.clipboard.writeText(text).then(() => (said.textContent = "copied"), () => (said.textContent = "not allowed"));
    return make("div", { class: "command" }, make("pre", {}, make("code", {}, text)), navigator.clipboard ? make("button", { type: "button", click: copy }, "Copy") : null, said);
  });
  return section("again", "How to run it again", ...commands);
}

function contents(parts) {
  const links = parts.map((part) => linked(part.id, part.querySelector("h2").textContent));
  return make("nav", { "aria-label": "Contents" }, ...links);
}

function start() {
  const figures = listed(facts.figures).map(figureNode);
  const tables = listed(facts.tables).length ? papers(facts.tables, filter) : null;
  const [leaderboard, rates, timings, rivals, errata] = plainSections();
  const todo = facts.notes?.figures ? make("p", { class: "note" }, facts.notes.figures) : null;
  const gallery = section("figures", "Figures", todo, figures.length ? make("div", { class: "gallery" }, ...figures.map((one) => one.node)) : null);
  const parts = [summarySection(), leaderboard, tables?.node, shortfalls(listed(facts.tables)), gallery, rates, timings, rivals, errata, againSection()].filter(Boolean);
  main.replaceChildren(masthead(), contents(parts), ...parts);

  // typing replaces the address: a page of history per letter would bury the way back
  function filter(wanted) {
    const { place } = parsedLink(location.hash);
    const stays = !wanted.table && listed(facts.tables).some((table) => table.id === place);
    history.replaceState(null, "", link(stays ? place : "table", wanted));
    tables.show(wanted);
    refreshLinks(wanted);
  }

  function arrive() {
    const { place, wanted } = parsedLink(location.hash);
    tables?.show(wanted);
    refreshLinks(wanted);
    reveal(place);
  }

  const redraw = new ResizeObserver((entries) =>
    entries.forEach(({ target }) => figures.find(({ canvas }) => canvas === target).render(target.clientWidth)),
  );
  const rooms = figures.map(({ canvas }) => canvas.clientWidth); // all at once: measuring after each drawing would lay out the page anew
  figures.forEach(({ canvas, render }, k) => {
    render(rooms[k]);
    redraw.observe(canvas);
  });
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address keeps its filters
    main.focus();
  });
  addEventListener("hashchange", arrive);
  arrive();
}

start();
