// Work on the plan: comments and rewrites beside the step, quotes, and moving
// from step to step.
import { calm, complain, main, parse, session, typing, word } from "./page.js";
import { onUpdate } from "./morph.js";
import { focusOn } from "./focus.js";
import { close, discard, restore, unlose } from "./drafts.js";
import { compare, follow } from "./lost.js";

const steps = () => [...document.querySelectorAll("#document .step[data-v]")];
export const here = () => document.querySelector(".step[data-here]");

export function start() {
  if (main()?.dataset.page !== "plan") return;
  document.addEventListener("click", click);
  document.addEventListener("mousedown", keepSelection);
  document.addEventListener("focusin", (e) => { const step = e.target.closest(".step[data-v]"); if (step) mark(step); });
  document.addEventListener("selectionchange", offerQuote);
  onUpdate(freshen);
  unfoldOutline();
}

function click(e) {
  if (e.ctrlKey || e.metaKey || e.shiftKey) return;
  const link = e.target.closest("[data-do]");
  if (link) {
    e.preventDefault();
    const step = link.closest(".step");
    if (link.dataset.do === "comment") comment(step, { quote: selectedIn(step) });
    else edit(step, link.href);
    return;
  }
  if (e.target.closest('a[href="#outline"]')) document.getElementById("outline-fold").open = true;
  const jump = e.target.closest("#outline a");
  if (jump) setTimeout(() => focusOn(document.querySelector(jump.hash)));
  const shut = e.target.closest("[data-close]");
  if (shut?.closest(".lost")) { discard(shut.form); unlose(shut.form); return; }
  if (shut && !shut.closest("dialog")) { e.preventDefault(); closeForm(shut.closest("form")); }
}

// open opens what a draft was written in, and returns its field.
export async function open(what, id, options) {
  const step = id ? document.getElementById(id) : document.querySelector(".step.lead");
  if (!step?.matches(".step[data-v]") || !step.querySelector(".tools")) return undefined;
  if (what === "comment") comment(step, options);
  else if (["rewritten", "inserted"].includes(what)) await edit(step, `/sessions/${session}/edit?step=${id}&op=${what}`, options);
  return step.querySelector(what === "comment" ? ".margin > form.composer textarea" : ".body > form.composer textarea[name=markdown]") ?? undefined;
}

// comment opens the form for a comment in the margin of a step.
export function comment(step, { quote = "", quiet = false } = {}) {
  let form = step.querySelector(".margin > form.composer");
  if (!form) {
    form = document.getElementById("composer").content.firstElementChild.cloneNode(true);
    form.dataset.keep = "";
    form.elements.body.autofocus = false;
    const id = step.classList.contains("lead") ? "" : step.id;
    form.dataset.draft = `comment:${id}`;
    form.elements.step.value = id;
    form.querySelector(".problem").id = `comment-problem-${id}`;
    step.querySelector(".margin").append(form);
    restore(step);
  }
  form.elements.version.value = main().dataset.version;
  if (quote) {
    form.elements.quote.value = quote;
    const shown = form.querySelector(".quote");
    shown.textContent = quote;
    shown.hidden = false;
  }
  if (!quiet) { form.elements.body.focus(); reveal(form); }
}

// edit puts the form of the edit page into the step.
export async function edit(step, href, { quiet = false } = {}) {
  const old = step.querySelector(".body > form.composer");
  calm();
  let form;
  try {
    const response = await fetch(href, { headers: { Accept: "text/html" } });
    form = response.ok && parse(await response.text()).getElementById("edit-form");
  } catch {
    if (!quiet) complain(word("unreachable")); // leaving would lead to nowhere
    return;
  }
  if (!form) { if (!quiet) location.assign(href); return; }
  form = document.adoptNode(form);
  form.removeAttribute("id");
  for (const field of form.querySelectorAll("[autofocus]")) field.autofocus = false;
  form.dataset.keep = "";
  if (old) { close(old); old.remove(); }
  step.querySelector(".body").append(form);
  step.toggleAttribute("data-editing", form.dataset.draft.startsWith("rewritten:"));
  const now = form.elements.seen?.value;
  restore(step);
  compare(form, now);
  follow([form], form.elements.version.value);
  if (!quiet) { form.querySelector("textarea:not([hidden]), select, button")?.focus(); reveal(form); }
}

function closeForm(form) {
  if (!form) return;
  const step = form.closest(".step");
  close(form);
  step?.removeAttribute("data-editing");
  const fold = form.closest("details");
  if (form.hasAttribute("data-keep")) form.remove();
  else if (fold) fold.open = false;
  if (fold) fold.querySelector("summary").focus();
  else if (step) focusOn(step);
}

// leave closes the form that one is in; it tells whether there was one.
export function leave() {
  const form = document.activeElement?.closest("form.composer");
  if (form) closeForm(form);
  return Boolean(form);
}

// go moves to the next or the previous step.
export function go(by) {
  const list = steps();
  const at = list.indexOf(here());
  const step = list[at < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(Math.max(at + by, 0), list.length - 1)];
  if (!step) return;
  getSelection().removeAllRanges(); // what comes next is about this step
  focusOn(step);
  mark(step);
  step.scrollIntoView({ block: "nearest" });
}

function mark(step) {
  if (step.hasAttribute("data-here")) return;
  for (const other of document.querySelectorAll("[data-here]")) other.removeAttribute("data-here");
  step.dataset.here = "";
  document.querySelector(`#outline a[href="#${step.id}"]`)?.setAttribute("data-here", "");
}

const reveal = (form) => form.scrollIntoView({ block: "nearest" });

// freshen: a comment goes to the version that the page shows. A rewrite keeps
// the text that it was based on, so that a change in between is noticed.
function freshen() {
  const version = main().dataset.version;
  for (const form of document.querySelectorAll(".margin > form.composer")) form.elements.version.value = version;
  follow(document.querySelectorAll(".body > form.composer"), version);
  unfoldOutline();
}

// unfoldOutline: beside the text it always shows; above it, on demand.
function unfoldOutline() {
  if (matchMedia("(min-width: 981px)").matches) document.getElementById("outline-fold")?.setAttribute("open", "");
}

// selectedStep is the step that holds the selection: one that spans steps counts
// for the one in whose text it begins.
export function selectedStep() {
  const range = selected();
  if (!range) return undefined;
  const touched = steps().filter((s) => range.intersectsNode(s));
  return touched.find(selectedIn) ?? touched[0];
}

function selected() {
  const selection = getSelection();
  return selection.isCollapsed || !selection.rangeCount ? null : selection.getRangeAt(0);
}

// longestQuote, in characters, stays below what the server takes in bytes.
const longestQuote = 1000;

// selectedIn is what is selected in the text of a step, without words that
// only show what was there before. It is empty if nothing is.
export function selectedIn(step) {
  const prose = step.querySelector(".prose");
  const part = selected()?.cloneRange();
  if (!part || !prose || !part.intersectsNode(prose)) return "";
  if (!prose.contains(part.startContainer)) part.setStart(prose, 0);
  if (!prose.contains(part.endContainer)) part.setEnd(prose, prose.childNodes.length);
  const words = part.cloneContents();
  for (const old of words.querySelectorAll(".was, .gone, .tags")) old.remove();
  return [...words.textContent.trim()].slice(0, longestQuote).join("");
}

// keepSelection: pressing "Comment" takes the selected words along, so it must
// not undo the selection.
function keepSelection(e) {
  const step = e.target.closest('[data-do="comment"]')?.closest(".step");
  if (step && selectedIn(step)) e.preventDefault();
}

// offerQuote shows a button beside selected words.
function offerQuote() {
  document.getElementById("quoter")?.remove();
  if (typing()) return;
  const step = selectedStep();
  if (!step?.querySelector(".tools") || !selectedIn(step)) return;
  const box = selected().getBoundingClientRect();
  const button = document.createElement("button");
  button.id = "quoter";
  button.type = "button";
  button.className = "btn small";
  button.textContent = word("comment-this");
  button.style.top = `${scrollY + box.bottom + 6}px`;
  button.style.left = `${scrollX + box.left}px`;
  const quote = selectedIn(step);
  button.addEventListener("pointerdown", (e) => e.preventDefault()); // keeps the selection
  button.addEventListener("click", () => { comment(step, { quote }); button.remove(); });
  document.body.append(button);
}
