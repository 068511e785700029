// What becomes of a draft whose step has changed or gone: beside the step one
// sees both texts, and a detached one can be put where it fits.
import { parse, say, session, word } from "./page.js";
import { onUpdate } from "./morph.js";
import { discard, keyOf, read, save, unlose } from "./drafts.js";

let open;

// start takes the function that opens a form at a step with a text in it.
export function start(opens) {
  open = opens;
  document.addEventListener("click", click);
  onUpdate(fillPlaces);
  fillPlaces();
}

function click(e) {
  const button = e.target.closest("#lost [data-put], #lost [data-copy-draft]");
  if (!button) return;
  const form = button.form;
  if (button.dataset.put) put(form, button.dataset.put);
  else copy(button, form.elements.body.value);
}

// put opens the form that the text fits into, at the step that was chosen; what
// one was writing there already stays above it.
async function put(form, what) {
  const step = form.querySelector("[data-place]").value;
  const text = form.elements.body.value;
  const field = await open(what, step);
  if (!field) return;
  const typed = field.value !== field.defaultValue || what === "inserted" ? field.value.trim() : "";
  field.value = typed && typed !== text.trim() ? `${typed}\n\n${text}` : text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  save(); // before the other copy goes
  discard(form);
  unlose(form);
  field.focus();
}

async function copy(button, text) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = word("copied");
    say(word("copied-said"));
  } catch {
    button.textContent = word("not-copied");
  }
  setTimeout(() => { button.textContent = label; }, 1500);
}

// fillPlaces offers the steps that are there now, as the outline names them.
function fillPlaces() {
  for (const list of document.querySelectorAll("#lost [data-place]")) {
    const chosen = list.value;
    const steps = [...document.querySelectorAll("#outline ol a")].map((a) => {
      const [number, title] = a.querySelectorAll("span");
      return new Option(`${number.textContent}. ${title.textContent}`, a.hash.slice(1));
    });
    list.replaceChildren(...steps);
    if (steps.some((s) => s.value === chosen)) list.value = chosen;
  }
}

const plain = (text) => text.replaceAll("\r\n", "\n").trim();

// compare says beside a rewrite that its step has changed since it was begun.
// Now is the step's text; what the form holds, or the draft, is the one of then.
export function compare(form, now) {
  const field = form.querySelector("textarea[name=markdown]");
  const was = field && (read(keyOf(field))?.seen ?? form.elements.seen?.value);
  const old = form.querySelector(".draft-changed");
  if (!was || now === undefined || plain(was) === plain(now)) { old?.remove(); return; }
  const note = old ?? document.getElementById("changed-draft")?.content.firstElementChild.cloneNode(true);
  if (!note) return;
  note.querySelector("[data-was]").textContent = plain(was);
  note.querySelector("[data-now]").textContent = plain(now);
  if (!old) field.before(note);
}

async function formAt(href) {
  try {
    const response = await fetch(href, { headers: { Accept: "text/html" } });
    return response.ok ? parse(await response.text()).getElementById("edit-form") : null;
  } catch {
    return null; // the next update tries again
  }
}

// follow brings rewrites that are open to the version that the page shows: it
// is against that one that they are saved, or come into conflict.
export async function follow(forms, version) {
  for (const form of forms) {
    if (!form.elements.seen) { // an insertion is about no text that could change
      form.elements.version.value = version;
      form.elements.base.value = document.getElementById("bar").dataset.sha;
      continue;
    }
    if (form.elements.version.value === version) continue;
    const fresh = await formAt(`/sessions/${session}/edit?step=${form.elements.step.value}&op=${form.elements.op.value}`);
    if (!fresh || !form.isConnected) continue; // its step is gone: after the next load it is detached
    form.elements.version.value = version;
    compare(form, fresh.elements.seen.value);
  }
}
