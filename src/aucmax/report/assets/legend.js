// What the states, colours and pictures mean, beside the tables.
const MEANINGS = {
  better: "our mean is above the printed mean",
  reproduced: "our mean is at least the printed mean minus one printed standard deviation",
  "cause known": "below that, for a cause that is stated and that a test shows",
  short: "below that, without a known cause",
  "not comparable": "it fails a criterion of the rule that is asked of every figure alike, and its cause says which; counts neither way",
  unfinished: "some of its runs are missing; counts neither way",
  failed: "some or all of its runs ended in an error",
  "not run": "on a set at hand, and no run has ended",
  "no data": "the set is not at hand",
};

function legend(rows) {
  const present = STATES.filter((state) => rows.some((row) => row.state === state));
  const entries = present.map((state) => make("div", {}, make("dt", {}, badge(state)), make("dd", {}, MEANINGS[state])));
  return make("dl", { class: "meanings", "aria-label": "What the states mean" }, ...entries);
}

const key = () =>
  make(
    "p",
    { class: "key" },
    "In the pictures: ",
    make("span", { class: "bar", "aria-hidden": "true" }),
    " the printed mean and one printed standard deviation to either side; ",
    make("span", { class: "dot", "aria-hidden": "true" }),
    " our mean, in the colour of its state, and its 95 % interval by Student’s t over the runs. Rows of one data set in a table share a scale: faint lines are 0.1 apart where thick, 0.01 where thin, 0.001 where dotted.",
  );

// every figure below the printed mean minus one printed deviation, comparable or not, with its cause and tests
function shortfalls(tables) {
  const rows = tables.flatMap((table) => listed(table.rows).filter((row) => known(row.below)).map((row) => ({ ...row, table })));
  return tableSection("shortfalls", "Shortfalls", rows, [
    column("table", "Table", { value: ({ table }) => table.id, cell: ({ table }) => linked(table.id, table.id) }),
    column("set", "Data set"),
    column("algorithm", "Algorithm"),
    numbers("printed", "Printed", fixed),
    numbers("ours", "Ours", fixed),
    numbers("below", "Short by", fixed),
    stateColumn(),
    column("cause", "Cause"),
    column("tests", "Tests", { cell: ({ tests }) => make("span", { class: "params" }, tests ?? "") }),
  ], "Every figure of ours below the printed mean minus one printed standard deviation, whether it can be compared or not. The tests are in the library’s own tests/bench and tests/errata.");
}
