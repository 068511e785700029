// A request that got no answer may have been carried out all the same. Sent
// again it goes under the same key, so that it acts once: also after a reload,
// as long as this tab is open.
import { user } from "./page.js";

// what the page knows of the plan is no part of what somebody asked for
const known = ["version", "base", "seen", "sha256", "shown"];

// keyFor returns the key of a request, and a function to call when an answer to
// it has come.
export function keyFor(address, fields) {
  const asked = new URLSearchParams(fields);
  for (const name of known) asked.delete(name);
  const place = `unsure:${user}:${address}?${asked}`;
  const key = get(place) ?? random();
  set(place, key);
  return { key, answered: () => drop(place) };
}

// crypto.randomUUID is not there on a page that came without encryption.
const random = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");

function get(place) { try { return sessionStorage.getItem(place); } catch { return null; } }
function set(place, key) { try { sessionStorage.setItem(place, key); } catch { /* then it goes once more under a new key */ } }
function drop(place) { try { sessionStorage.removeItem(place); } catch { /* as above */ } }
