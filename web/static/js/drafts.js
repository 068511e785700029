// What one types is kept in this browser until it has been sent: over a
// reload, a crash, a lost connection and every update of the page.
import { user, session, store, later } from "./page.js";
import { onUpdate } from "./morph.js";

const prefix = `draft:${user}:${session || "-"}:`;
const fieldOf = (form) => form.querySelector("textarea:not([hidden], [readonly], [data-draft])");
const nameOf = (field) => field.dataset.draft || field.form?.dataset.draft || "";
export const keyOf = (field) => { const name = nameOf(field); return name && prefix + name; };
const beside = ["base", "seen", "quote", "goal", "revision"]; // fields that belong to what is typed
const waiting = new Set();

// start takes the function that opens what a draft was written in.
export function start(open) {
  restore(document, true);
  reopen(open);
  onUpdate(() => restore(document));
  document.addEventListener("input", (e) => {
    if (e.target.tagName !== "TEXTAREA" || !keyOf(e.target)) return;
    waiting.add(e.target);
    saveSoon();
  });
  addEventListener("pagehide", save);
  document.addEventListener("visibilitychange", save);
}

const saveSoon = later(save, 250);

// save puts away at once what was typed.
export function save() {
  for (const field of waiting) {
    if (!field.isConnected) continue;
    if (field.value === field.defaultValue || field.value.trim() === "") store.drop(keyOf(field));
    else store.set(keyOf(field), JSON.stringify({ text: field.value, about: aboutOf(field), ...extras(field.form) }));
  }
  waiting.clear();
}

// aboutOf is how the step that a text is about is called, for when it is gone.
function aboutOf(field) {
  const step = field.closest(".step");
  const words = step?.querySelector(".lost-step, h2, .prose")?.textContent.trim() ?? "";
  return [...words].slice(0, longestAbout).join("");
}
const longestAbout = 80; // characters

function extras(form) {
  const found = {};
  for (const name of beside) {
    const field = form?.elements[name];
    if (field?.value) found[name] = field.value;
  }
  return found;
}

export const read = (key) => { try { return JSON.parse(store.get(key)); } catch { return null; } };

// restore puts kept texts back into the fields below root that have none. The
// field that one is in may just have been emptied, unless the page is new.
export function restore(root, fresh = false) {
  for (const form of root.querySelectorAll("form[data-draft]")) {
    const field = fieldOf(form);
    if (field) fill(field, form, fresh);
  }
  for (const field of root.querySelectorAll("textarea[data-draft]")) fill(field, null, fresh);
}

function fill(field, form, fresh) {
  if ((field === document.activeElement && !fresh) || field.value !== field.defaultValue) return;
  const draft = read(keyOf(field));
  if (!draft?.text || draft.text === field.value) return;
  field.value = draft.text;
  field.closest("details:not(.menu)")?.setAttribute("open", "");
  if (!form) return;
  for (const name of beside) if (name in draft && form.elements[name]) form.elements[name].value = draft[name];
  const quote = form.querySelector(".quote");
  if (quote && draft.quote) { quote.textContent = draft.quote; quote.hidden = false; }
}

// reopen opens the comments and rewrites that were being written. Those about
// steps that are gone get a place of their own.
function reopen(open) {
  for (const key of store.keys()) {
    if (!key.startsWith(prefix)) continue;
    const name = key.slice(prefix.length);
    const [what, step] = name.split(":");
    const draft = read(key);
    if (step && aboutSteps.includes(what) && !document.getElementById(step)) lost(name, draft);
    else if (!draft?.closed) open(what, step, { quiet: true });
  }
}
const aboutSteps = ["comment", "rewritten", "inserted"];

function lost(name, draft) {
  const one = document.getElementById("lost-draft");
  if (!one || !draft?.text) return; // nothing can be sent now: it is kept
  if (!document.getElementById("lost")) document.getElementById("document").append(document.getElementById("lost-drafts").content.cloneNode(true));
  const item = one.content.firstElementChild.cloneNode(true);
  const form = item.querySelector("form");
  item.querySelector(".lost-step").textContent = draft.about ?? "";
  item.querySelector(".problem").id = `lost-problem-${name}`;
  form.dataset.draft = name;
  form.dataset.what = name.split(":")[0];
  document.getElementById("lost").append(item);
  restore(item);
}

// unlose takes the place of a lost draft away, and the section with the last.
export function unlose(form) {
  form.closest(".lost")?.remove();
  if (!document.querySelector("#lost .lost")) document.getElementById("lost")?.remove();
}

// close keeps the text of a form, but does not open it again by itself.
export function close(form) {
  save();
  const field = fieldOf(form);
  const draft = field && read(keyOf(field));
  if (draft) store.set(keyOf(field), JSON.stringify({ ...draft, closed: true }));
}

// discard forgets what was typed into a form: it has been sent, or is not
// wanted.
export function discard(form) {
  for (const field of [...form.elements].filter((f) => f.tagName === "TEXTAREA")) drop(field);
}

function drop(field) {
  waiting.delete(field);
  const key = keyOf(field);
  if (key) store.drop(key);
}

// forget empties a field for good.
export function forget(field) {
  drop(field);
  field.value = "";
}
