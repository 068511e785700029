// What waits for the person: the number in the title and in the icon, and the
// browser's own notifications, for those who asked for them.
import { user, word, store, later } from "./page.js";
import { onUpdate } from "./morph.js";

const choice = `notify:${user}`; // in this browser
const told = `notified:${user}`; // keys of what was shown or seen, in any tab
const remember = 100;
// A tab that is looked at says so before one in the background shows anything.
const patience = 700;

let known = null; // keys of what waited when the page last looked

export function start() {
  document.addEventListener("click", (e) => { if (e.target.closest("#notify")) toggle(); });
  addEventListener("storage", (e) => { if (e.key === choice) show(); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden && known) seen([...known]); });
  onUpdate(show);
  show();
}

// look asks what waits now.
export const look = later(ask, 120);

async function ask() {
  let view;
  try {
    const response = await fetch("/waiting", { headers: { Accept: "application/json" } });
    if (!response.ok || response.redirected) return;
    view = await response.json();
  } catch {
    return; // the socket says that the connection is lost, and asks again
  }
  badge(view);
  const fresh = known ? view.items.filter((item) => !known.has(item.key)) : [];
  known = new Set(view.items.map((item) => item.key));
  if (!document.hidden) seen(fresh.map((item) => item.key));
  else if (fresh.length > 0 && on()) setTimeout(() => fresh.forEach(notify), patience);
}

function badge({ count, icon }) {
  const title = document.title.replace(/^\(\d+\) /, "");
  document.title = count > 0 ? `(${count}) ${title}` : title;
  document.getElementById("icon")?.setAttribute("href", icon);
}

function read() { try { return JSON.parse(store.get(told)) ?? []; } catch { return []; } }

function seen(keys) {
  const fresh = keys.filter((key) => !read().includes(key));
  if (fresh.length > 0) store.set(told, JSON.stringify([...read(), ...fresh].slice(-remember)));
}

// notify shows one thing once, however many tabs are open: the browser has one
// notification for a tag, and the key keeps it from coming again.
function notify(item) {
  if (!document.hidden || !on() || read().includes(item.key)) return;
  seen([item.key]);
  let note;
  try {
    note = new Notification(item.title, { body: item.text, tag: item.key, icon: document.getElementById("icon")?.href });
  } catch {
    store.drop(choice); // some browsers have them for apps only
    show();
    return;
  }
  note.onclick = () => {
    window.focus();
    note.close();
    if (location.pathname !== item.url) location.assign(item.url);
  };
}

const on = () => store.get(choice) === "on" && globalThis.Notification?.permission === "granted";

// toggle is the only place where the browser is asked for permission.
async function toggle() {
  if (on()) { store.drop(choice); show(); return; }
  if (!globalThis.isSecureContext) { show("notify-insecure"); return; }
  if (!globalThis.Notification) { show("notify-never"); return; }
  const permission = await Notification.requestPermission();
  if (permission === "granted") store.set(choice, "on");
  show(permission === "denied" ? "notify-denied" : "");
}

// show brings the button up to date and says why nothing came of it.
function show(why = "") {
  const button = document.getElementById("notify");
  if (!button) return;
  button.textContent = word(on() ? "notify-off" : "notify-on");
  const place = document.getElementById("notify-why");
  if (typeof why !== "string") return; // an update of the page
  place.hidden = why === "";
  place.textContent = why && word(why);
}
