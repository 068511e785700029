// What the page says about itself, and small helpers.
export const body = document.body;
export const user = body.dataset.user ?? "";
export const session = body.dataset.session ?? "";

export const main = () => document.getElementById("main");

// words are what scripts show, in the language of the page.
const words = JSON.parse(body.dataset.words ?? "{}");

// word is one of them; what is put in comes by its name.
export const word = (name, put = {}) => words[name].replace(/\{(\w+)\}/g, (_, key) => put[key]);

// say tells a screen reader something, politely.
export function say(text) {
  const region = document.getElementById("said");
  if (region) region.textContent = text;
}

// complain says at the top of the page what went wrong, until calm.
export function complain(message) {
  let alert = document.getElementById("alert");
  if (!alert) {
    alert = document.createElement("div");
    alert.id = "alert";
    alert.className = "banner bad";
    alert.setAttribute("role", "alert");
    alert.dataset.keep = "";
    main().before(alert);
  }
  alert.textContent = message;
}

// calm takes away what complain said: somebody tries something else.
export const calm = () => document.querySelector("#alert[data-keep]")?.remove();

// later returns a function that runs run once, wait ms after its last call; a
// stream of calls can put it off for five times as long and no longer.
export function later(run, wait) {
  let timer = 0;
  let first = 0;
  return (...args) => {
    const now = performance.now();
    if (timer === 0) first = now;
    clearTimeout(timer);
    timer = setTimeout(() => { timer = 0; run(...args); }, Math.max(0, Math.min(wait, first + 5 * wait - now)));
  };
}

export const parse = (html) => new DOMParser().parseFromString(html, "text/html");

// typing tells whether keys belong to a field just now.
export function typing(target = document.activeElement) {
  return target?.closest?.("input, textarea, select, [contenteditable]") != null;
}

// store is localStorage, or nothing where that is forbidden or full.
export const store = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(key, value); } catch { /* the page works without */ } },
  drop(key) { try { localStorage.removeItem(key); } catch { /* as above */ } },
  keys() { try { return Object.keys(localStorage); } catch { return []; } },
};
