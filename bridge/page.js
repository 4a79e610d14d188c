"use strict";
// Sorting: each heading becomes a button; figures sort from the largest, words from A; what has no value stays last.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, column) => row.cells[column].dataset.v;
  const sort = (column, descending) => {
    const known = (row) => value(row, column) !== undefined;
    const words = [...body.rows].some((row) => known(row) && Number.isNaN(Number(value(row, column))));
    const compare = (a, b) => {
      const [x, y] = [value(a, column), value(b, column)];
      return words ? (x < y ? -1 : x > y ? 1 : 0) : Number(x) - Number(y);
    };
    const rows = [...body.rows].filter(known).sort((a, b) => (descending ? compare(b, a) : compare(a, b)));
    body.append(...rows, ...[...body.rows].filter((row) => !known(row)));
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", descending ? "descending" : "ascending");
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      sort(column, now === null ? column > 0 : now === "ascending");
    });
  });
}

// Which disagreements are shown: those that one system gets right and another one wrong.
const filter = document.querySelector(".filter");
if (filter !== null) {
  const pairs = [...document.querySelectorAll("details[data-right]")];
  const [better, worse] = filter.querySelectorAll("select");
  const count = filter.querySelector("output");
  const show = () => {
    for (const pair of pairs) {
      const right = pair.dataset.right;
      pair.hidden =
        (better.value !== "" && right[better.value] === "0") || (worse.value !== "" && right[worse.value] === "1");
    }
    const shown = pairs.filter((pair) => !pair.hidden).length;
    count.textContent = `${shown} of ${pairs.length} shown`;
  };
  filter.hidden = false;
  filter.addEventListener("change", show);
  show();
}
