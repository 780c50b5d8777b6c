// Where the reader is and which rows are shown, kept after # so that a copied address brings both back.
const EVERYTHING = Object.freeze({ find: "", table: "", set: "", algorithm: "", state: [] });

const isEverything = (wanted) => query(wanted) === "";

function query(wanted) {
  const parts = new URLSearchParams();
  for (const name of Object.keys(EVERYTHING)) {
    for (const value of [wanted[name]].flat()) if (value) parts.append(name, value);
  }
  return parts.toString();
}

function parsedLink(hash) {
  const [place, rest] = [hash.replace(/^#/, "").split("?")[0], hash.split("?").slice(1).join("?")];
  const parts = new URLSearchParams(rest);
  const wanted = Object.fromEntries(Object.keys(EVERYTHING).map((name) => [name, parts.get(name) ?? ""]));
  return { place: decoded(place), wanted: { ...wanted, state: parts.getAll("state").flatMap((text) => text.split(",")).filter(Boolean) } };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray % in a mistyped link
  }
}

const link = (place, wanted) => `#${encodeURIComponent(place)}${isEverything(wanted) ? "" : `?${query(wanted)}`}`;

// links of the page keep the filters of the moment
function linked(place, ...children) {
  return make("a", { href: `#${encodeURIComponent(place)}`, "data-place": place }, ...children);
}

function refreshLinks(wanted) {
  for (const anchor of document.querySelectorAll("a[data-place]")) anchor.setAttribute("href", link(anchor.dataset.place, wanted));
}

function reveal(place) {
  const target = place && document.getElementById(place);
  if (!target || !target.matches("section, figure")) return;
  target.scrollIntoView();
  target.focus({ preventScroll: true });
}
