// The activity: appends what comes, shows what is being written, and follows
// the end unless one has scrolled up.
import { main, word } from "./page.js";
import { onUpdate } from "./morph.js";
import { localise } from "./times.js";
import { focusOn } from "./focus.js";

const liveMost = 8000; // characters of a running command's output on the page
let following = true;
let fresh = 0;
let text = "";
let painting = false;

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
  onUpdate(() => { delivered(); if (following) toEnd(); });
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
  if (!attach(item)) list().append(item);
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

// attach puts a result under the call that it is of.
function attach(item) {
  const calls = item.dataset.partOf ? list().querySelectorAll(`[data-call="${CSS.escape(item.dataset.partOf)}"]`) : [];
  const call = calls[calls.length - 1]; // models use their ids again
  if (!call) return false;
  const path = item.querySelector(".path");
  if (path?.textContent === call.querySelector("code")?.textContent) path.remove();
  call.querySelector(".out.running")?.remove();
  if (item.classList.contains("deny")) call.classList.add("deny");
  call.querySelector(".t").append(...item.querySelector(".t").children);
  return true;
}

// live shows what is not stored: text as it is written, output as it is
// printed, and why a request is tried again.
export function live(frame) {
  if (!stream()) return;
  if (frame.type === "output") output(frame);
  else if (frame.type === "retry") text = frame.text ?? "";
  else if (frame.tool && !frame.text) text += text ? "" : `${frame.tool} …`;
  else text += frame.text ?? "";
  if (painting) return;
  painting = true;
  requestAnimationFrame(paint);
}

function paint() {
  painting = false;
  const place = stream();
  if (!place) return;
  place.textContent = text;
  place.classList.toggle("busy", text !== "");
  if (following) toEnd();
}

export function clear() {
  text = "";
  if (stream()) paint();
}

function output({ call, text: printed }) {
  const line = list().querySelector(`[data-call="${CSS.escape(call ?? "")}"] .t`);
  if (!line) return;
  let place = line.querySelector(".out.running");
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
