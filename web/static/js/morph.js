// Brings the page up to date with a newer one from the server, without
// touching what somebody is typing, where they are, or what they unfolded.
import { complain, parse, later, say, word } from "./page.js";
import { hold } from "./focus.js";

const regions = ["top", "tabs", "damage", "alert", "main", "bar"];
const ours = new Set(["open", "data-here", "data-editing", "tabindex"]); // attributes that only this page knows
const changed = new EventTarget();

// onUpdate runs after the page has been brought up to date.
export const onUpdate = (run) => changed.addEventListener("update", run);

const dirty = (field) => field === document.activeElement || field.value !== field.defaultValue;

const config = {
  morphStyle: "outerHTML",
  ignoreActiveValue: false, // it would leave out all that is in a step which has the focus
  restoreFocus: true,
  callbacks: {
    beforeNodeMorphed(old, fresh) {
      if (old.nodeType !== Node.ELEMENT_NODE) return true;
      if (old.hasAttribute("data-keep")) return false;
      if (old.matches(".problem") && old.id === fresh.id && fresh.textContent.trim() === "") return false; // until the form is sent again
      if (old.dataset.v && old.dataset.v === fresh.dataset?.v) return false;
      if (old.matches("textarea, input[type=number]") && dirty(old)) return false;
      if (old.matches(".problem:not(:empty)") && old.closest("form") && hasText(old.closest("form"))) return false; // it is about what is still there
      if ("seen" in old.dataset && hasText(old.form)) return false; // what is typed was typed on what was seen then
      if (old.matches("input[type=radio], input[type=checkbox]") && old.checked !== old.defaultChecked) return false;
      if (old === document.activeElement && old.matches("input, select")) return false;
      return true;
    },
    beforeNodeRemoved(node) {
      if (node.nodeType !== Node.ELEMENT_NODE) return true;
      const typed = node.matches("[data-keep]") || node.querySelector("[data-keep]") || hasText(node);
      if (typed && node.matches(".step")) node.classList.add("orphan");
      return !typed;
    },
    beforeAttributeUpdated: (name) => !ours.has(name),
  },
};

function hasText(node) {
  for (const field of node.querySelectorAll("textarea:not([hidden], [readonly])")) if (dirty(field)) return true;
  return false;
}

// update takes over what a newer page shows.
export function update(doc) {
  const anchor = stay();
  const back = hold();
  const before = document.getElementById("bar")?.dataset.sha;
  adopt(doc);
  for (const id of regions) region(id, doc.getElementById(id));
  document.title = doc.title;
  const icon = doc.getElementById("icon")?.getAttribute("href");
  if (icon) document.getElementById("icon").setAttribute("href", icon);
  back();
  anchor();
  guard(before);
  changed.dispatchEvent(new Event("update"));
}

function region(id, fresh) {
  const old = document.getElementById(id);
  if (old && fresh) globalThis.Idiomorph.morph(old, fresh, config);
  else if (old && !hasText(old) && !old.hasAttribute("data-keep")) old.remove();
  else if (fresh && id === "bar") document.getElementById("main").after(fresh);
  else if (fresh) document.getElementById("main").before(fresh);
}

// adopt gives steps that the newer page has no more, but in which somebody
// types, a place in it. Without one they would go unasked if anything in them,
// such as a thread, lives on elsewhere.
function adopt(doc) {
  for (const step of document.querySelectorAll("#document > .step[data-v]")) {
    const gone = !doc.getElementById(step.id);
    const kept = gone && step.querySelector(":scope > * > form[data-keep]") !== null;
    step.toggleAttribute("data-keep", kept);
    step.classList.toggle("orphan", kept);
    if (!kept) continue;
    const place = doc.createElement("article");
    place.id = step.id;
    let before = step.previousElementSibling;
    while (before && !doc.getElementById(before.id)) before = before.previousElementSibling;
    if (before) doc.getElementById(before.id).after(place);
    else doc.getElementById("document")?.prepend(place);
  }
}

// stay remembers where the focused element, or else the first visible step,
// stands, and puts it there again.
function stay() {
  let element = document.activeElement;
  if (!element || element === document.body) {
    element = [...document.querySelectorAll(".step")].find((s) => s.getBoundingClientRect().bottom > 110);
  }
  const top = element?.getBoundingClientRect().top;
  return () => {
    if (!element?.isConnected || top < -innerHeight || top > 2 * innerHeight) return;
    const moved = element.getBoundingClientRect().top - top;
    if (Math.abs(moved) > 1 && scrollY > 0) scrollBy({ top: moved, behavior: "instant" });
  };
}

// guard: a plan that changed under the pointer can't be approved in the same
// moment.
function guard(before) {
  const now = document.getElementById("bar")?.dataset.sha;
  const button = document.getElementById("approve-button");
  if (!before || !now || before === now) return;
  say(word("plan-changed"));
  if (!button) return;
  const back = hold();
  button.disabled = true;
  setTimeout(() => { button.disabled = false; back(); }, 1500);
}

let running = false;
let again = false;
let failures = 0; // in a row
const longest = 30_000;

// refresh fetches this page anew; at most one request is under way. What failed
// is tried again: whoever asked for it won't ask a second time.
export async function refresh() {
  if (running) { again = true; return; }
  running = true;
  try {
    do {
      again = false;
      const response = await fetch(address(), { headers: { Accept: "text/html" } });
      if (response.redirected && new URL(response.url).pathname === "/sign-in") location.reload();
      else if (response.ok) update(parse(await response.text()));
      else if (response.status === 403) complain(parse(await response.text()).getElementById("alert")?.textContent ?? word("failed"));
      else if (response.status >= 500 || response.status === 429) throw new Error(`status ${response.status}`);
      failures = 0;
    } while (again);
  } catch {
    // The socket notices a lost connection, and says so.
    setTimeout(refresh, Math.min(1000 * 2 ** failures++, longest));
  } finally {
    running = false;
  }
}

export const refreshSoon = later(refresh, 50);
export const refreshLater = later(refresh, 900);

// address is this page's, with what it already shows, so that the answer is
// short and its marks don't move.
function address() {
  const url = new URL(location.href);
  const page = document.getElementById("main").dataset;
  url.hash = "";
  url.searchParams.delete("comment");
  if (page.page === "plan" && !url.searchParams.has("version")) {
    url.searchParams.set("from", page.from);
    url.searchParams.set("shown", page.version);
    if (document.hidden) url.searchParams.set("away", "yes");
  }
  if (page.page === "activity" && !url.searchParams.has("before")) url.searchParams.set("after", document.body.dataset.seq);
  return url;
}
