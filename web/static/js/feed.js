// The activity: appends what comes, shows what is being written, and follows
// the end unless one has scrolled up.
import { main, word } from "./page.js";
import { onUpdate } from "./morph.js";
import { localise } from "./times.js";
import { focusOn } from "./focus.js";

const liveMost = 8000; // characters of a running command's output on the page
let following = true;
let fresh = 0;
let painting = false;
const texts = new Map(); // what is being written, by sub-agent; the root's is under ""

const list = () => document.getElementById("feed");
const stream = () => document.getElementById("stream");
const atEnd = () => innerHeight + scrollY >= document.documentElement.scrollHeight - 90;
const toEnd = () => scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });

export function start() {
  if (!stream()) return;
  addEventListener("scroll", () => {
    following = atEnd();
    if (following) fresh = 0;
    button();
  }, { passive: true });
  document.getElementById("follow").addEventListener("click", () => { following = true; fresh = 0; toEnd(); focusOn(list()); button(); });
  onUpdate(() => { delivered(); subagents(); if (following) toEnd(); });
  if (!location.hash && list().children.length > 12) toEnd();
}

// append adds an event's line, once.
export function append({ seq, kind, html }) {
  if (!stream()) return;
  if (kind === "model.message" || kind.startsWith("run.")) clear();
  if (!html || list().querySelector(`[data-seq="${seq}"]`)) return;
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const item = holder.content.firstElementChild;
  if (!item) return;
  localise(item);
  if (item.dataset.agent) clear(item.dataset.agent);
  if (!enfold(item) && !attach(item)) list().append(item);
  fresh++;
  if (following) { fresh = 0; toEnd(); }
  button();
}

// delivered takes the mark from messages that the agent has got by now.
function delivered() {
  const heard = Number(main().dataset.heard);
  for (const mark of list().querySelectorAll(".undelivered")) {
    if (Number(mark.closest("[data-seq]").dataset.seq) <= heard) mark.remove();
  }
}

// subagents brings the headings of the folds up to date: what each sub-agent
// is at stands in the page's list of them.
function subagents() {
  for (const line of document.querySelectorAll("[data-subagent]")) {
    if (line.dataset.outcome) clear(line.dataset.subagent);
    const heading = fold(line.dataset.subagent)?.querySelector(":scope > summary");
    if (!heading || heading.textContent === line.textContent) continue;
    heading.replaceChildren(...[...line.childNodes].map((node) => node.cloneNode(true)));
  }
}

const fold = (agent) => list().querySelector(`[data-fold="${CSS.escape(agent)}"]`);

// enfold puts what a sub-agent did into its fold, if there is one.
function enfold(item) {
  const inside = item.dataset.agent ? fold(item.dataset.agent) : null;
  if (!inside) return false;
  for (const line of item.querySelectorAll("ol.inner > li")) {
    if (!attach(line)) inside.querySelector("ol.inner").append(line);
  }
  return true;
}

// attach puts a result under the call that it is of.
function attach(item) {
  const calls = item.dataset.partOf ? list().querySelectorAll(`[data-call="${CSS.escape(item.dataset.partOf)}"]`) : [];
  const call = calls[calls.length - 1]; // models use their ids again
  if (!call) return false;
  const path = item.querySelector(".path");
  if (path?.textContent === call.querySelector("code")?.textContent) path.remove();
  call.querySelector(":scope > .t > .out.running")?.remove();
  if (item.classList.contains("deny")) call.classList.add("deny");
  call.querySelector(".t").append(...item.querySelector(".t").children);
  return true;
}

// live shows what is not stored: text as it is written, output as it is
// printed, and why a request is tried again.
export function live(frame) {
  if (!stream()) return;
  const agent = frame.agent ?? "";
  const text = texts.get(agent) ?? "";
  if (frame.type === "output") output(frame);
  else if (frame.type === "retry") texts.set(agent, frame.text ?? "");
  else if (frame.tool && !frame.text) texts.set(agent, text || `${frame.tool} …`);
  else texts.set(agent, text + (frame.text ?? ""));
  if (painting) return;
  painting = true;
  requestAnimationFrame(paint);
}

function paint() {
  painting = false;
  if (!stream()) return;
  for (const [agent, text] of texts) {
    const place = agent ? draft(agent) : stream();
    if (!place) continue;
    place.textContent = text;
    place.classList.toggle("busy", text !== "");
    if (agent && !text) texts.delete(agent);
  }
  if (following) toEnd();
}

// draft is where a sub-agent's unfinished text goes: into its fold, or nowhere.
function draft(agent) {
  const inside = fold(agent);
  if (!inside) return null;
  let place = inside.querySelector(":scope > .writing");
  if (!place) {
    place = document.createElement("div");
    place.className = "writing";
    place.setAttribute("aria-hidden", "true");
    inside.append(place);
  }
  return place;
}

// clear takes away what was being written, by the root or by a sub-agent.
export function clear(agent = "") {
  if (agent && !texts.has(agent)) return;
  texts.set(agent, "");
  if (stream()) paint();
}

function output({ call, text: printed }) {
  const line = list().querySelector(`[data-call="${CSS.escape(call ?? "")}"] .t`);
  if (!line) return;
  let place = line.querySelector(":scope > .out.running");
  if (!place) {
    place = document.createElement("pre");
    place.className = "out running";
    line.append(place);
  }
  place.textContent = (place.textContent + printed).slice(-liveMost);
  place.scrollTop = place.scrollHeight;
}

function button() {
  const follow = document.getElementById("follow");
  if (!follow || main().dataset.page !== "activity") return;
  follow.hidden = following;
  follow.textContent = fresh > 0 ? word("new", { n: fresh }) : word("follow");
}
