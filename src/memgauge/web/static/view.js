"use strict";
const lists = document.querySelectorAll("[data-live]");
if (lists.length && "EventSource" in window) {
  const source = new EventSource(lists[0].dataset.live);
  const finish = (row) => {
    row.querySelector(".said").textContent = "finished; load this page again to see it";
    row.querySelector("progress").value = 1;
  };
  source.addEventListener("message", (event) => {
    const found = JSON.parse(event.data);
    for (const list of lists) {
      for (const row of list.querySelectorAll("[data-run]")) {
        const one = found[row.dataset.run];
        if (!one) { finish(row); continue; }
        row.querySelector(".said").textContent = one.text;
        if (one.total) row.querySelector("progress").value = one.conversations / one.total;
      }
    }
  });
  addEventListener("pagehide", () => source.close());
}
const worth = (cell) => {
  const value = cell.dataset.value ?? cell.firstChild?.textContent?.replaceAll(",", "").trim() ?? "";
  return value !== "" && Number.isFinite(Number(value)) ? Number(value) : cell.textContent.trim().toLowerCase();
};
const compare = (a, b) => {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
};
for (const table of document.querySelectorAll("main table")) {
  const [body] = table.tBodies;
  if (!body || body.rows.length < 2) continue;
  [...table.tHead.rows[0].cells].forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.setAttribute("aria-label", `Sort by ${(head.firstChild?.textContent || `column ${place + 1}`).trim()}`);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      table.classList.add("sorted");
      const rows = [...body.rows].map((row) => [worth(row.cells[place]), row]);
      rows.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
      body.append(...rows.map(([, row]) => row));
    });
    head.append(button);
  });
}
const keys = document.querySelector(".keys");
const chosen = keys.querySelector("input");
let stored = "on";
try { stored = localStorage.getItem("memgauge-keys") || "on"; } catch { stored = "on"; }
chosen.checked = stored === "on";
chosen.addEventListener("change", () => {
  try { localStorage.setItem("memgauge-keys", chosen.checked ? "on" : "off"); } catch { /* kept for this page only */ }
});
keys.hidden = false;
const linked = () => [...document.querySelectorAll("tbody tr")]
  .filter((row) => row.querySelector("a[href]") && row.checkVisibility());
let at = -1;
const move = (step) => {
  const rows = linked();
  if (!rows.length) return;
  for (const row of document.querySelectorAll("tr.at")) row.classList.remove("at");
  at = Math.min(Math.max(at + step, 0), rows.length - 1);
  rows[at].classList.add("at");
  rows[at].querySelector("a[href]").focus();
};
const follow = (selector) => { const link = document.querySelector(selector); if (link) link.click(); };
let before = "";
addEventListener("keydown", (event) => {
  if (!chosen.checked || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (before === "g") {
    before = "";
    if (/^[a-z]$/.test(event.key)) follow(`nav.site a[data-key="${event.key}"]`);
    return;
  }
  before = event.key === "g" ? "g" : "";
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "n") follow('a[rel="next"]');
  else if (event.key === "p") follow('a[rel="prev"]');
  else if (event.key === "/") {
    const field = document.querySelector("[data-search]");
    if (field) { field.focus(); event.preventDefault(); }
  }
});
