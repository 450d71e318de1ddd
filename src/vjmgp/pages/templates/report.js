// Tables that sort by a click on a heading, a search field over long ones, and links to other
// reports, which may be written later: a link is shown if the style of its report is there.
"use strict";

function valueOf(row, column) {
  const cell = row.cells[column];
  const value = cell.dataset.value !== undefined ? cell.dataset.value : cell.textContent.trim();
  const number = Number(value.replace(/,/g, "").replace(/\u2212/g, "-"));
  return { empty: value === "" || value === "–", number, text: value };
}

function compare(a, b) {
  if (!Number.isNaN(a.number) && !Number.isNaN(b.number)) return a.number - b.number;
  return a.text.localeCompare(b.text, "en", { numeric: true });
}

function sortBy(table, column) {
  const heading = table.tHead.rows[0].cells[column];
  const up = heading.getAttribute("aria-sort") === "descending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", up ? "ascending" : "descending");
  const keyed = Array.from(table.tBodies[0].rows, (row) => [valueOf(row, column), row]);
  keyed.sort(([a], [b]) => {
    if (a.empty || b.empty) return a.empty - b.empty; // what is missing stays at the end
    return up ? compare(a, b) : compare(b, a);
  });
  table.tBodies[0].append(...keyed.map(([, row]) => row));
}

function searchField(items, words) {
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = words;
  field.setAttribute("aria-label", words);
  const texts = items.map((item) => (item.dataset.search || item.textContent).toLowerCase());
  field.addEventListener("input", () => {
    const parts = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    items.forEach((item, k) => {
      item.hidden = !parts.every((part) => texts[k].includes(part));
    });
  });
  return field;
}

for (const table of document.querySelectorAll("table.sortable")) {
  Array.from(table.tHead.rows[0].cells).forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sortBy(table, column));
  });
  const rows = Array.from(table.tBodies[0].rows);
  if (rows.length > 8) {
    const words = `search ${rows.length} rows`;
    table.closest(".scroll").before(searchField(rows, words));
  }
}

for (const list of document.querySelectorAll("[data-searchable]")) {
  list.before(searchField(Array.from(list.children), list.dataset.searchable));
}

for (const link of document.querySelectorAll("a[data-report]")) {
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = `${link.dataset.report}report/style.css`;
  style.addEventListener("load", () => {
    link.href = `${link.dataset.report}report.html`;
    link.hidden = false;
  });
  style.addEventListener("error", () => style.remove());
  document.head.append(style);
}

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("nav details[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
