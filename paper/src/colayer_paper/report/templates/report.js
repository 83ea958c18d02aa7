"use strict";
// Tables sort by a click, or Enter, on a column's head: up, down, then as they were. Empty cells stay last.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  if (rows.length < 2) continue;
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      const next = now === null ? "ascending" : now === "ascending" ? "descending" : null;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      if (next !== null) head.setAttribute("aria-sort", next);
      const key = (row) => row.cells[column].dataset.key;
      const order = next === null ? rows : [...rows].sort((a, b) => compare(key(a), key(b), next === "descending"));
      body.append(...order);
    });
  });
}

function compare(a, b, down) {
  if (a === "" || b === "") return (a === "") - (b === "");
  const x = Number(a);
  const y = Number(b);
  const words = Number.isNaN(x) || Number.isNaN(y);
  const sign = words ? a.localeCompare(b, "en", { numeric: true }) : x - y;
  return down ? -sign : sign;
}

// On a phone the contents start closed.
if (window.matchMedia("(max-width: 70rem)").matches) document.querySelector("nav details").open = false;

// What is wider than its box says so.
const watch = new ResizeObserver((boxes) => boxes.forEach(({ target }) => hint(target)));
for (const box of document.querySelectorAll(".scroll")) watch.observe(box);

function hint(box) {
  const told = box.previousElementSibling;
  const known = told !== null && told.className === "hint";
  const wide = box.scrollWidth > box.clientWidth + 1;
  if (wide && !known) {
    const line = document.createElement("p");
    line.className = "hint";
    line.textContent = "There is more to the right: scroll →";
    box.before(line);
  } else if (!wide && known) {
    told.remove();
  }
}
