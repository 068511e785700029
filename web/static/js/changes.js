// Changes: a folded file's lines come when it is opened, and a comment on a
// line is written where the line is. Without this, links do both.
import { calm, complain, main, parse, typing, word } from "./page.js";
import { close, restore } from "./drafts.js";
import { onUpdate } from "./morph.js";

const links = () => [...document.querySelectorAll("a[data-note]")];

export function start() {
  if (main()?.dataset.page !== "changes") return;
  document.addEventListener("toggle", (e) => { if (e.target.open && e.target.dataset.load) load(e.target); }, true);
  document.addEventListener("click", click);
  document.addEventListener("keydown", key, true);
  // The page now shows the comment that was sent, so the word that it was goes.
  onUpdate(() => { for (const row of document.querySelectorAll("tr.note:not(:has(form))")) row.remove(); });
}

// openNote opens what a comment on a line was written in.
export function openNote(id, options) {
  const link = links().find((l) => l.dataset.note === id);
  if (link) note(link, options);
}

async function fetched(address) {
  const response = await fetch(address, { headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error(response.statusText);
  return parse(await response.text());
}

// load fills a file that came folded. If that fails its link stays.
async function load(file) {
  const address = file.dataset.load;
  delete file.dataset.load;
  try {
    const fresh = (await fetched(address)).getElementById(file.id);
    if (fresh && !fresh.dataset.load) file.replaceChildren(...fresh.children);
  } catch {
    file.dataset.load = address;
  }
}

function click(e) {
  if (e.ctrlKey || e.metaKey || e.shiftKey) return;
  const link = e.target.closest("a[data-note]");
  if (link) { e.preventDefault(); note(link); }
  const cancel = e.target.closest("tr.note [data-close]");
  if (cancel) { e.preventDefault(); leave(cancel.closest("tr")); }
}

// note opens the form for a comment below a line.
async function note(link, { quiet = false } = {}) {
  const id = link.dataset.note;
  calm();
  if (!document.getElementById(id)) {
    try {
      const row = (await fetched(link.href)).getElementById(id);
      if (!row) { location.assign(link.href); return; }
      row.querySelector("textarea").autofocus = false;
      if (!document.getElementById(id)) link.closest("tr").after(row);
      restore(row);
    } catch (e) {
      if (e instanceof TypeError) complain(word("unreachable")); // leaving would lead to nowhere
      else location.assign(link.href);
      return;
    }
  }
  if (!quiet) document.getElementById(id)?.querySelector("textarea")?.focus();
}

function leave(row) {
  const form = row.querySelector("form");
  if (form) close(form);
  const link = links().find((l) => l.dataset.note === row.id);
  row.remove();
  link?.focus();
}

// key: j and k go from changed line to changed line, c comments on one.
function key(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
  const row = e.target.closest?.("tr.note");
  if (e.key === "Escape" && row) { e.preventDefault(); leave(row); return; }
  if (typing(e.target) || document.querySelector("dialog[open]")) return;
  const list = links();
  const here = list.indexOf(document.activeElement);
  if (e.key === "j") list[Math.min(here + 1, list.length - 1)]?.focus();
  else if (e.key === "k") list[Math.max(here - 1, 0)]?.focus();
  else if (e.key === "c" && here >= 0) note(list[here]);
  else return;
  e.preventDefault();
}
