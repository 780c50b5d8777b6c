// Errors in print, and remarks; their text has the Markdown of the documentation: `code` and *emphasis*; a star after a letter is a name, w*.
function marked(text) {
  const parts = (text ?? "").split(/(`[^`]+`|\*\*[^*\s](?:[^*]*[^*\s])?\*\*|(?<!\w)\*[^*\s](?:[^*]*[^*\s])?\*)/);
  return make("span", {}, ...parts.filter(Boolean).map((part) => {
    if (/^`.+`$/.test(part)) return make("code", {}, part.slice(1, -1));
    if (/^\*\*.+\*\*$/.test(part)) return make("strong", {}, part.slice(2, -2));
    return /^\*[^\s].*\*$/.test(part) ? make("em", {}, part.slice(1, -1)) : part;
  }));
}

function errataSection() {
  const rows = listed(facts.errata);
  const columns = [["where", "Where"], ["kind", "Kind"], ["printed", "Printed"], ["right", "Right"], ["why", "Why"], ["test", "Test"]];
  const some = rows.some(({ kind }) => kind === "remark");
  return tableSection("errata", "Errors in print", rows, columns.filter(([key]) => key !== "kind" || some).map(([key, title]) => column(key, title, { cell: (row) => marked(row[key]) })), some ? "Errors are wrong as printed. Remarks are right, or not claimed otherwise, and say what a reader should know." : null);
}
