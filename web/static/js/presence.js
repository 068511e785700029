// Who is here: tells the others at which step one is and whether one types,
// and shows where they are.
import { main, user, word, later, typing } from "./page.js";
import { onUpdate } from "./morph.js";

const quiet = 4000; // ms without a key after which one types no more
const repeat = 2000; // ms between two messages that say that one still types
const faces = 4; // how many are drawn at the top, and at a step
const facesAtStep = 2;

let send = null; // while there is a connection
let told = "";
let toldAt = 0;
let typedAt = -quiet;
let typedIn = "";
let others = [];

export function start() {
  if (!list()) return;
  addEventListener("scroll", tellSoon, { passive: true });
  addEventListener("resize", tellSoon);
  document.addEventListener("focusin", tellSoon);
  document.addEventListener("input", typed);
  onUpdate(() => { drawAtSteps(); tellSoon(); });
}

// connected is called with a way to tell the server something.
export function connected(to) {
  if (!list()) return;
  send = to;
  told = "";
  tell();
}

// lost: of whoever was here nothing is known any more.
export function lost() {
  send = null;
  show([]);
}

export function show(people) {
  if (!list()) return;
  others = people.filter((p) => p.id !== user);
  drawList();
  drawAtSteps();
}

const list = () => document.getElementById("here");
const steps = () => [...document.querySelectorAll("#document .step[data-v]")];
const tellSoon = later(tell, 400);

function typed(e) {
  const step = e.target.tagName === "TEXTAREA" && e.target.closest("#document .step[data-v]");
  if (!step) return;
  typedAt = performance.now();
  typedIn = step.id;
  tell();
  stopSoon();
}

const stopSoon = later(tell, quiet + 50);

function tell() {
  if (!send) return;
  const now = performance.now();
  const busy = now - typedAt < quiet;
  const text = JSON.stringify({ type: "here", step: busy ? typedIn : lookedAt(), typing: busy });
  if (text === told && !(busy && now - toldAt >= repeat)) return;
  told = text;
  toldAt = now;
  send(text);
}

// lookedAt is the step that one is in or, where one only reads, the one at the
// height at which one does.
function lookedAt() {
  if (main()?.dataset.page !== "plan") return "";
  const focused = document.activeElement?.closest("#document .step[data-v]");
  if (focused && (typing() || inView(focused))) return focused.id;
  const line = innerHeight * .4;
  const list = steps();
  return (list.find((s) => s.getBoundingClientRect().bottom > line) ?? list.at(-1))?.id ?? "";
}

function inView(step) {
  const box = step.getBoundingClientRect();
  return box.bottom > 0 && box.top < innerHeight;
}

function drawList() {
  const items = others.slice(0, others.length > faces ? faces - 1 : faces).map((p) => {
    const item = face("li", p);
    const name = document.createElement("span");
    name.className = "seen-by-ear";
    name.textContent = item.title = where(p);
    item.append(name);
    return item;
  });
  const more = others.length - items.length;
  if (more > 0) {
    const item = document.createElement("li");
    item.className = "more";
    item.textContent = word("here-more", { n: more });
    items.push(item);
  }
  replace(list(), items);
  list().hidden = items.length === 0;
}

function drawAtSteps() {
  const at = Map.groupBy(others, (p) => p.step ?? "");
  for (const step of steps()) {
    const people = at.get(step.id) ?? [];
    let place = step.querySelector(":scope > .body > .eyes");
    if (!place && people.length > 0) {
      place = document.createElement("span");
      place.className = "eyes";
      place.ariaHidden = "true"; // the list at the top says it
      step.querySelector(".body").append(place);
    }
    if (place) replace(place, people.slice(0, facesAtStep).map((p) => face("span", p)));
  }
}

// replace leaves alone what would look the same, so that nothing blinks.
function replace(place, items) {
  const holder = document.createElement("div");
  holder.append(...items);
  if (holder.innerHTML !== place.innerHTML) place.replaceChildren(...items);
}

function face(tag, { initials, colour, typing: busy }) {
  const element = document.createElement(tag);
  element.className = `avatar sm ${colour}${busy ? " typing" : ""}`;
  const letters = document.createElement("span");
  letters.ariaHidden = "true";
  letters.textContent = initials;
  element.append(letters);
  return element;
}

// where says who somebody is and what they are at.
function where({ name, step, typing: busy }) {
  const n = step && document.getElementById(step)?.querySelector(".body > .no")?.textContent.trim();
  if (n) return word(busy ? "here-typing-at" : "here-at", { name, n });
  return busy ? word("here-typing", { name }) : name;
}
