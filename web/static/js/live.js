// The socket: connects, follows by sequence number, comes again when it is
// lost, and says so.
import { body, main, word } from "./page.js";
import { refreshSoon, refreshLater } from "./morph.js";
import * as feed from "./feed.js";
import * as presence from "./presence.js";
import { look } from "./waiting.js";

const plan = /^(plan|step|scope|edit|thread|comment|agreement|review|approval|mode|permission|question|todo|goal|session|run)\./;
let tries = 0;
let lost = false;
let timer = 0;

export function start() {
  if (!body.dataset.feed) return;
  connect();
  addEventListener("online", () => { if (lost) connect(); });
  // What came while nobody looked counts as read only now.
  document.addEventListener("visibilitychange", () => { if (!document.hidden && main().dataset.page === "plan") refreshSoon(); });
}

const seen = () => Number(body.dataset.seq) || 0;

function connect() {
  clearTimeout(timer);
  const url = new URL("/ws", location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  if (body.dataset.session) {
    url.searchParams.set("session", body.dataset.feed);
    url.searchParams.set("after", seen());
  }
  const socket = new WebSocket(url);
  socket.onmessage = (e) => take(JSON.parse(e.data), socket);
  socket.onclose = (e) => closed(socket, e);
}

function closed(socket, e) {
  socket.onmessage = null;
  presence.lost();
  if (e.code === 1008) { location.reload(); return; } // signed out
  const pause = Math.min(10_000, 400 * 2 ** tries) * (.7 + .6 * Math.random());
  tries++;
  if (tries > 1 || e.code !== 1013) show(false);
  timer = setTimeout(connect, tries === 1 ? 150 : pause);
}

function take(frame, socket) {
  switch (frame.type) {
    case "hello":
      tries = 0;
      show(true);
      look(); // nobody keeps for a page what it missed
      presence.connected((text) => socket.readyState === WebSocket.OPEN && socket.send(text));
      // The board has no log to catch up from, so it looks once more.
      if (body.dataset.feed === "board" || frame.seq > seen()) refreshSoon();
      break;
    case "event":
      event(frame);
      break;
    case "presence":
      presence.show(frame.people);
      break;
    case "damage":
      if (!document.getElementById("damage")) refreshSoon();
      break;
    case "waiting": // also without an event: somebody has read something
      look();
      if (body.dataset.feed === "board") refreshSoon();
      break;
    case "board":
      if (body.dataset.feed === "board") refreshSoon();
      break;
    case "reset":
      if (frame.seq) location.reload();
      else feed.clear(frame.agent);
      break;
    default:
      feed.live(frame);
  }
}

function event(frame) {
  if (frame.seq <= seen()) return;
  body.dataset.seq = frame.seq;
  feed.append(frame);
  if (plan.test(frame.kind)) refreshSoon();
  else refreshLater();
}

// show says whether what the page shows is live.
function show(live) {
  const chip = document.getElementById("live");
  if (chip) {
    chip.hidden = false;
    chip.replaceChildren(dot(live ? "dot pulse on" : "dot"), word(live ? "live" : "offline"));
  }
  const banner = document.getElementById("connection");
  if (!live && !lost) {
    banner.replaceChildren(notice("banner", dot("dot pulse"), word("lost")));
  }
  if (live && lost) {
    banner.replaceChildren(notice("banner ok", word("back")));
    setTimeout(() => { if (!lost) banner.textContent = ""; }, 2500);
  }
  lost = !live;
}

function dot(name) {
  const mark = document.createElement("span");
  mark.className = name;
  return mark;
}

function notice(name, ...parts) {
  const box = document.createElement("div");
  box.className = name;
  box.append(...parts);
  return box;
}
