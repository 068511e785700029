// Small things: the theme, copying a hash, the switch for marks.
import { say, store, word } from "./page.js";
import { onUpdate } from "./morph.js";

const themes = ["", "light", "dark"];

export function start() {
  document.addEventListener("click", (e) => {
    const copy = e.target.closest("[data-copy]");
    if (copy) copyText(copy);
    if (e.target.closest("[data-next-theme]")) nextTheme();
    if (e.target.closest("[data-print]")) print();
  });
  document.addEventListener("change", (e) => { if (e.target.id === "marks") store.set("marks", e.target.checked ? "on" : "off"); });
  if (store.get("marks") === "off") { const marks = document.getElementById("marks"); if (marks) marks.checked = false; }
  showTheme();
  onUpdate(showTheme);
}

async function copyText(button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = word("copied");
    say(word("copied-said"));
  } catch {
    button.textContent = word("not-copied");
  }
  setTimeout(() => { button.textContent = label; }, 1500);
}

function nextTheme() {
  const root = document.documentElement;
  const next = themes[(themes.indexOf(root.dataset.theme ?? "") + 1) % themes.length];
  if (next) { root.dataset.theme = next; store.set("theme", next); }
  else { delete root.dataset.theme; store.drop("theme"); }
  showTheme();
}

function showTheme() {
  const place = document.getElementById("theme");
  if (place) place.textContent = word(`theme-${document.documentElement.dataset.theme ?? "system"}`);
}
