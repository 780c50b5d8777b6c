// Elements from values. Text is always appended as text nodes, so that no label is ever read as markup.
const SVG = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const make = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);
const draw = (tag, attributes, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

// localStorage throws where a browser forbids it to files; the page then forgets, and works
const memory = {
  get(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch {
      // forgotten
    }
  },
};

// a list that may be missing
const listed = (value) => value ?? [];
