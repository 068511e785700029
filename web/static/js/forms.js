// Forms are sent without leaving the page. What fails keeps its text and says
// why, beside the field.
import { calm, complain, parse, say, word } from "./page.js";
import { refresh } from "./morph.js";
import { discard, unlose } from "./drafts.js";
import { showSheet, closeSheet } from "./sheets.js";
import { focusOn, hold } from "./focus.js";
import { keyFor } from "./once.js";

export function start() {
  document.addEventListener("submit", (e) => {
    const form = e.target;
    if (e.defaultPrevented || form.method !== "post" || form.hasAttribute("data-plain") || e.submitter?.hasAttribute("data-plain")) return;
    e.preventDefault();
    send(form, e.submitter);
  });
}

export async function send(form, submitter) {
  if (form.ariaBusy === "true") return;
  const fields = new URLSearchParams(new FormData(form, submitter));
  const once = keyFor(form.action, fields);
  busy(form, submitter, true);
  calm();
  let response;
  let doc;
  try {
    response = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "text/html", "Idempotency-Key": once.key } });
    doc = parse(await response.text());
    once.answered();
  } catch {
    problem(form, word("unreachable"));
    return;
  } finally {
    busy(form, submitter, false);
  }
  if (response.ok && response.redirected) await sent(form, response);
  else if (doc.querySelector("#main .sheet > header")) showSheet(doc, form);
  else await failed(form, response, doc);
}

function busy(form, submitter, on) {
  form.ariaBusy = on ? "true" : null;
  submitter?.setAttribute("aria-busy", String(on));
  // What would be typed now is not sent any more, and goes with the form.
  for (const field of [...form.elements].filter((f) => f.tagName === "TEXTAREA" && (on ? !f.readOnly : "waits" in f.dataset))) {
    field.readOnly = on;
    field.toggleAttribute("data-waits", on);
  }
}

async function sent(form, response) {
  const url = new URL(response.url);
  if (url.pathname === "/sign-in") { location.assign(response.url); return; } // nothing was sent: the draft stays
  discard(form);
  if (url.pathname !== location.pathname) { location.assign(response.url); return; }
  const back = hold();
  settle(form);
  closeSheet();
  back();
  await refresh();
  const place = url.hash && document.getElementById(url.hash.slice(1));
  if (place?.tagName === "DETAILS") place.open = true;
  if (place && !document.activeElement?.closest("textarea")) focusOn(place);
}

// settle puts a form back as it was before anything was typed.
function settle(form) {
  if (form.dataset.sent) { told(form); return; }
  for (const name of document.querySelectorAll(`form[data-draft="${CSS.escape(form.dataset.draft ?? "")}"]`)) {
    if (name !== form && name.hasAttribute("data-keep")) name.remove();
  }
  form.closest("[data-editing]")?.removeAttribute("data-editing");
  if (form.closest(".lost")) { unlose(form); return; }
  if (form.hasAttribute("data-keep")) { form.remove(); return; }
  form.reset();
  for (const p of form.querySelectorAll(".problem")) p.textContent = "";
  form.closest("details")?.removeAttribute("open");
}

// told leaves a word in the place of a form that is done with.
function told(form) {
  const said = document.createElement("p");
  said.className = "state ok";
  said.textContent = form.dataset.sent;
  form.replaceWith(said);
  say(said.textContent);
}

async function failed(form, response, doc) {
  const told = [...doc.querySelectorAll(".problem")].filter((p) => p.textContent.trim() !== "");
  let shown;
  for (const p of form.querySelectorAll(".problem")) {
    const same = told.find((t) => t.id === p.id);
    p.textContent = same?.textContent ?? "";
    if (same) shown = p;
  }
  const message = told[0]?.textContent || doc.getElementById("alert")?.textContent || word("failed");
  if (shown) say(message);
  else problem(form, message);
  if (response.status !== 409) return;
  seeNow(form, doc);
  await refresh();
  // Where one stood may be gone with what changed; why it failed is still said.
  const place = form.querySelector(".problem");
  if (place && !(place.isConnected && place.textContent.trim())) complain(message);
}

// seeNow: the page shows what is so now; sent once more, the form is about that.
function seeNow(form, doc) {
  for (const field of form.querySelectorAll("[data-seen]")) {
    const now = doc.querySelector(`#${CSS.escape(form.id)} [name="${field.name}"]`);
    if (now) field.value = now.value;
  }
}

// problem says what is wrong with a form, in it or, if it has no place for
// that, at the top.
export function problem(form, message) {
  const place = form.querySelector(".problem");
  if (place) place.textContent = message;
  else complain(message);
}
