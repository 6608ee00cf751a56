"use strict";
const means = JSON.parse(document.getElementById("means").textContent);
const language = document.getElementById("language");
const term = document.getElementById("term");
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

const rowsOf = (table) => [...table.tBodies[0].rows];
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const number = (text) => (text === "–" || text === "" ? NaN : Number(text.replace("−", "-").replaceAll(",", "")));

function option(label, value, attributes = {}) {
  const made = new Option(label, value);
  for (const [name, content] of Object.entries(attributes)) made.setAttribute(name, content);
  return made;
}

// Empty values stay at the end in both directions, and equal ones keep the order that they had.
function sort(header, descending) {
  const table = header.closest("table");
  const column = header.cellIndex;
  const numeric = header.querySelector("button").dataset.kind === "number";
  const keyed = rowsOf(table).map((row) => {
    const text = row.cells[column].textContent.trim();
    return { row, key: numeric ? number(text) : text, empty: numeric ? Number.isNaN(number(text)) : text === "" };
  });
  keyed.sort((a, b) => {
    if (a.empty || b.empty) return a.empty - b.empty;
    const order = numeric ? a.key - b.key : collator.compare(a.key, b.key);
    return descending ? -order : order;
  });
  for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", descending ? "descending" : "ascending");
  table.tBodies[0].append(...keyed.map((item) => item.row));
}

function filter(table) {
  const words = plain(document.querySelector(`input[data-table="${table.id}"]`).value).split(/\s+/);
  const choice = document.querySelector(`select[data-filter="${table.id}"]`)?.value ?? "";
  let shown = 0;
  for (const row of rowsOf(table)) {
    const text = plain([...row.cells].map((cell) => cell.textContent).join(" "));
    row.hidden = !words.every((word) => text.includes(word)) || (choice !== "" && row.cells[0].textContent !== choice);
    shown += !row.hidden;
  }
  const count = document.querySelector(`[data-count="${table.id}"]`);
  count.textContent = `${shown} of ${rowsOf(table).length} ${count.dataset.noun} shown`;
}

function offerTerms() {
  const { tag, terms } = means[language.value];
  term.replaceChildren(
    ...terms.map(([name, translation], place) =>
      option(translation ? `${name} (${translation})` : name, place, { lang: tag, dir: "auto" }),
    ),
  );
  term.disabled = terms.length === 0;
  showRatings();
}

function showRatings() {
  const { songs, terms } = means[language.value];
  const rating = document.getElementById("rating");
  const raters = document.getElementById("raters");
  for (const row of rowsOf(rating.closest("table"))) {
    const [mean, count] = songs[row.dataset.song][term.value] ?? [null, null];
    row.cells[rating.cellIndex].textContent = mean === null ? "–" : mean.toFixed(2);
    row.cells[raters.cellIndex].textContent = count ?? "–";
  }
  if (terms.length > 0) sort(rating, true);
}

for (const header of document.querySelectorAll("thead th:has(button)")) {
  header.querySelector("button").addEventListener("click", () => {
    const numeric = header.querySelector("button").dataset.kind === "number";
    const sorted = header.getAttribute("aria-sort");
    sort(header, sorted === null ? numeric : sorted === "ascending");
  });
}
for (const input of document.querySelectorAll("input[data-table]")) {
  const table = document.getElementById(input.dataset.table);
  input.addEventListener("input", () => filter(table));
  document.querySelector(`select[data-filter="${table.id}"]`)?.addEventListener("change", () => filter(table));
  filter(table);
}
document.addEventListener(
  "play",
  (event) => {
    for (const player of document.querySelectorAll("audio")) if (player !== event.target) player.pause();
  },
  true,
);
language.replaceChildren(...Object.entries(means).map(([config, { name }]) => option(name, config)));
language.addEventListener("change", offerTerms);
term.addEventListener("change", showRatings);
if (language.options.length > 0) offerTerms();
