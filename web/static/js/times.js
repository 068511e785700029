// Times: relative ones kept up to date, clock times in the reader's own zone.
import { onUpdate } from "./morph.js";

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

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
  if (minutes < .75) return "now";
  if (minutes < 60) return `${Math.max(Math.floor(minutes + .5), 1)} min`;
  const hours = minutes / 60;
  if (hours < 24) return `${Math.floor(hours)} h`;
  if (hours < 48) return "yesterday";
  if (hours < 30 * 24) return `${Math.floor(hours / 24)} days`;
  return day.format(at);
}
