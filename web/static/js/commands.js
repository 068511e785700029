// Commands in a message: a slash offers those that there are, with what each
// does. They are read from the list below the field, which is there without
// this script as well.
import { say, word } from "./page.js";

const id = "say-commands";
let offered = []; // what the list shows: { insert, usage, help }
let at = 0; // the one that is chosen

const field = () => document.querySelector("#say textarea");
const list = () => document.getElementById(id);

export function start() {
  document.addEventListener("input", (e) => { if (e.target === field()) offer(e.target); });
  document.addEventListener("keydown", key, true);
  document.addEventListener("focusout", (e) => { if (e.target === field()) close(); });
  document.addEventListener("mousedown", (e) => { if (e.target.closest?.(`#${id}`)) e.preventDefault(); }); // the field keeps the focus
  document.addEventListener("click", (e) => {
    const option = e.target.closest?.(`#${id} [role=option]`);
    if (option) take([...list().children].indexOf(option));
  });
}

function commands() {
  return [...document.querySelectorAll("#commands dt[data-insert]")].map((dt) => ({
    insert: dt.dataset.insert, usage: dt.textContent, help: dt.nextElementSibling.textContent,
  }));
}

// offer shows what the text may become. One that is written as it is to be
// needs no offer, and would catch the next Enter.
function offer(box) {
  const text = box.value.toLowerCase();
  const before = offered.length;
  offered = /^\/\S*( \S*)?$/.test(text) ? commands().filter((c) => c.usage.toLowerCase().startsWith(text)) : [];
  if (offered.length === 0 || offered.some((c) => c.insert === text)) { close(); return; }
  at = 0;
  show(box);
  if (offered.length !== before) say(word("commands", { n: offered.length }));
}

function show(box) {
  const ul = list() ?? document.createElement("ul");
  if (!ul.isConnected) {
    ul.id = id;
    ul.setAttribute("role", "listbox");
    ul.setAttribute("aria-label", document.querySelector("#commands summary").textContent);
    ul.dataset.keep = "";
    box.before(ul);
  }
  ul.replaceChildren(...offered.map((c, n) => {
    const li = document.createElement("li");
    li.id = `${id}-${n}`;
    li.setAttribute("role", "option");
    const code = document.createElement("code");
    code.textContent = c.usage;
    li.append(code, " ", c.help);
    return li;
  }));
  box.setAttribute("aria-autocomplete", "list");
  box.setAttribute("aria-controls", id);
  mark(box);
}

function mark(box) {
  [...list().children].forEach((li, n) => li.setAttribute("aria-selected", String(n === at)));
  box.setAttribute("aria-activedescendant", `${id}-${at}`);
  list().children[at].scrollIntoView({ block: "nearest" });
}

function close() {
  offered = [];
  list()?.remove();
  for (const name of ["aria-autocomplete", "aria-controls", "aria-activedescendant"]) field()?.removeAttribute(name);
}

function take(n) {
  const box = field();
  box.value = offered[n].insert;
  close();
  box.focus();
  box.setSelectionRange(box.value.length, box.value.length);
  box.dispatchEvent(new Event("input", { bubbles: true })); // the draft is kept
}

// key comes before the keys of the page.
function key(e) {
  if (e.target !== field() || !list() || e.isComposing || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
  switch (e.key) {
    case "ArrowDown": at = (at + 1) % offered.length; mark(e.target); break;
    case "ArrowUp": at = (at + offered.length - 1) % offered.length; mark(e.target); break;
    case "Enter": case "Tab": take(at); break;
    case "Escape": close(); break;
    default: return;
  }
  e.preventDefault();
  e.stopPropagation();
}
