// Sheets: pages that are shown as a dialog over the one that one is on.
import { calm, complain, parse, later, word } from "./page.js";
import { discard, restore } from "./drafts.js";
import { onUpdate } from "./morph.js";
import { openDialog, shut } from "./focus.js";

let box;
let origin; // the form that led here

export function start() {
  document.addEventListener("click", (e) => {
    const link = e.target.closest("a[data-dialog]");
    if (link && !e.ctrlKey && !e.metaKey && !e.shiftKey) { e.preventDefault(); openSheet(link); }
    const open = e.target.closest("[data-open]");
    if (open) { shut(open.closest("details")); openDialog(document.getElementById(open.dataset.open)); }
  });
  document.addEventListener("input", (e) => {
    if (e.target.id === "verdict-note") { hold(e.target.form, true); preview(e.target.form); }
  });
  onUpdate(follow);
}

async function openSheet(link) {
  calm();
  try {
    const response = await fetch(link.href, { headers: { Accept: "text/html" } });
    const doc = parse(await response.text());
    if (!showSheet(doc)) location.assign(link.href);
  } catch {
    complain(word("unreachable")); // leaving would lead to nowhere
  }
}

// showSheet shows the sheet of a page, and tells whether it has one.
export function showSheet(doc, form) {
  const sheet = doc.querySelector("#main .sheet:has(> header)");
  if (!sheet) return false;
  if (!box) {
    box = document.createElement("dialog");
    box.id = "sheet";
    document.body.append(box);
    box.addEventListener("click", leave);
    box.addEventListener("close", () => { box.replaceChildren(); });
  }
  if (form && !box.contains(form)) origin = form;
  box.setAttribute("aria-label", sheet.querySelector("h1")?.textContent ?? "");
  box.replaceChildren(document.adoptNode(sheet));
  if (!form) restore(box);
  if (!box.open) openDialog(box);
  const note = box.querySelector("#verdict-note");
  if (note?.value && !form) preview(note.form);
  return true;
}

export function closeSheet() {
  if (box?.open) box.close();
  origin = null;
}

// leave: closing keeps a draft; "keep theirs" gives one's own up.
function leave(e) {
  const link = e.target.closest("[data-close]");
  if (!link && e.target !== box) return;
  e.preventDefault();
  if (link?.hasAttribute("data-discard")) {
    if (link.closest("form")) discard(link.closest("form"));
    if (origin) giveUp(origin);
  }
  closeSheet();
}

function giveUp(form) {
  discard(form);
  form.closest("[data-editing]")?.removeAttribute("data-editing");
  form.remove();
}

function hold(form, on) {
  const button = form.querySelector("footer .btn:last-child");
  if (button) button.disabled = on;
}

// preview shows what the agent would get with the note as it is now.
const preview = later(async (form) => {
  if (!form.isConnected) return;
  const fields = new URLSearchParams(new FormData(form));
  fields.set("preview", "yes");
  try {
    const response = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "text/html" } });
    const doc = parse(await response.text());
    for (const id of ["letter", "shown"]) {
      const [old, fresh] = [form.querySelector(`#${id}`), doc.getElementById(id)];
      if (old && fresh) { old.textContent = fresh.textContent; if ("value" in fresh) old.value = fresh.value; }
    }
    // Feedback is about the plan that the letter tells of; an approval is of the text that was seen.
    const now = doc.querySelector("#verdict [name=sha256]");
    if (now && form.dataset.verdict === "request_changes") form.elements.sha256.value = now.value;
  } catch {
    // Sending will say that the server can't be reached.
  } finally {
    hold(form, false);
  }
}, 350);

// follow keeps an open preview true while others comment.
function follow() {
  const form = box?.open && box.querySelector("#verdict");
  if (form) preview(form);
}
