// Times: relative ones kept up to date, clock times in the reader's own zone.
import { word } from "./page.js";
import { onUpdate } from "./morph.js";

// English days are written as the server writes them.
const locale = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
const exact = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" });

export function start() {
  localise(document);
  setInterval(() => localise(document), 60_000);
  onUpdate(() => localise(document));
}

// localise brings the times below an element up to date.
export function localise(root) {
  for (const time of root.querySelectorAll("time[data-ago]")) {
    const at = new Date(time.dateTime);
    time.textContent = ago(Date.now() - at.getTime(), at);
    time.title = exact.format(at);
  }
  for (const time of root.querySelectorAll("time[data-clock]")) {
    const at = new Date(time.dateTime);
    time.textContent = clock.format(at);
    time.title = exact.format(at);
  }
}

// ago follows the same rules as the server's.
function ago(ms, at) {
  const minutes = ms / 60_000;
  if (minutes < .75) return word("now");
  if (minutes < 60) return word("minutes", { n: Math.max(Math.floor(minutes + .5), 1) });
  const hours = minutes / 60;
  if (hours < 24) return word("hours", { n: Math.floor(hours) });
  if (hours < 48) return word("yesterday");
  if (hours < 30 * 24) return word("days", { n: Math.floor(hours / 24) });
  return day.format(at);
}
