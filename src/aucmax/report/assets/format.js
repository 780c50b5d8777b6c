// Numbers as text, and the marks that say the state of a row without colour.
const NOTHING = "–";
const known = (value) => typeof value === "number";
const proper = (text) => text.replace("-", "−");

const fixed = (value, digits = 4) => (known(value) ? proper(value.toFixed(digits)) : NOTHING);
// four decimals, or as many as show it to a twentieth
const spread = (value) => fixed(value, [4, 5, 6, 7, 8].find((digits) => Math.abs(Number(value.toFixed(digits)) - value) <= value / 20) ?? 9);
const signed = (value, digits = 4) => (known(value) && value >= 0 ? "+" : "") + fixed(value, digits);

const thousands = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 6 });

// about four significant digits, grouped by thousands, never with trailing noise
function brief(value, digits = 4) {
  if (!known(value)) return NOTHING;
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) {
    const [front, power] = value.toExponential(2).split("e");
    return proper(`${front}·10${raised(Number(power))}`);
  }
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size || 1)));
  return proper(thousands.format(Number(value.toFixed(Math.min(places, 6)))));
}

const raised = (power) => [...String(power)].map((letter) => (letter === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[letter])).join("");

// in the order of meaning: a mark and a colour of its own for each
const LOOKS = {
  better: ["▲", "better"],
  reproduced: ["●", "same"],
  "cause known": ["▽", "known"],
  short: ["▼", "short"],
  "not comparable": ["◇", "other"],
  unfinished: ["◔", "partial"],
  failed: ["✕", "failed"],
  "not run": ["○", "idle"],
  "no data": ["∅", "absent"],
  met: ["●", "same"],
  explained: ["◐", "better"],
  "not met": ["▼", "short"],
};
const look = (state) => LOOKS[state] ?? ["", "none"];

// a mark and a word, coloured alike
function badge(state) {
  if (!state) return NOTHING;
  const [mark, colour] = look(state);
  return make("span", { class: `badge ${colour}` }, make("span", { class: "mark", "aria-hidden": "true" }, mark), state);
}
