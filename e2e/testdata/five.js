// What the test of five browsers does inside a page. Finding a thing and
// pressing it is one call, so that nothing can arrive in between.
globalThis.five = (() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const pick = (list, n) => list[n % list.length]; // undefined of none
  const note = / *(ana|bo|cai|dee|eva)-\d+: typed in pieces, the end\./g;
  let form = null;
  let field = null;

  const steps = () => all("#document > article.step[data-v]:not(.orphan)").filter((a) => a.querySelector(".no") && a.querySelector(".tools"));

  function take(found) {
    form = found;
    field = form?.querySelector("textarea:not([hidden], [readonly])") ?? null;
    return form ? field?.value ?? "" : null;
  }

  // comment opens a comment on a step; with words it quotes some of them.
  function comment(n, words) {
    const step = pick(steps(), n);
    if (!step) return null; // nothing can be said while the agent is at work
    if (words) select(step, n);
    step.querySelector("[data-do=comment]").click();
    getSelection().removeAllRanges();
    return take(step.querySelector(".margin > form.composer"));
  }

  function select(step, n) {
    const walk = document.createTreeWalker(step.querySelector(".prose"), NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walk.nextNode()) if (walk.currentNode.data.trim().length > 3 && !walk.currentNode.parentElement.closest(".was, .gone, .tags")) texts.push(walk.currentNode);
    const text = pick(texts, n);
    if (text) getSelection().setBaseAndExtent(text, 0, text, Math.min(text.length, 12));
  }

  // edit presses "Rewrite" on a step that has no form open yet.
  function edit(n) {
    const free = steps().filter((a) => !a.querySelector(".body > form.composer"));
    if (free.length === 0) return "";
    const step = pick(free, n);
    step.querySelector("[data-do=rewrite]").click();
    return step.id;
  }
  function editStep(id) {
    const step = id && document.getElementById(id);
    if (!step || !step.querySelector(".tools") || step.querySelector(".body > form.composer")) return "";
    step.querySelector("[data-do=rewrite]").click();
    return id;
  }
  const formOf = (id, op) => all(`#${CSS.escape(id)} > .body > form.composer`).find((f) => f.elements.op.value === op) ?? null;
  function more(id, op) {
    const link = all(`#${CSS.escape(id)} > .body > form.composer [data-do=edit]`).find((a) => a.href.includes(`op=${op}`));
    link?.click();
    return Boolean(link);
  }

  // moveTo puts the step somewhere else than it stands.
  function moveTo(n) {
    const others = [...form.elements.after.options].filter((o) => !o.selected);
    if (others.length === 0) return false;
    form.elements.after.value = pick(others, n).value;
    return true;
  }

  // own finds what one could do with threads and edits.
  function reply(n) {
    const details = all("#document details[id^=reply-]");
    if (details.length === 0) return null;
    const one = pick(details, n);
    one.open = true;
    return take(one.querySelector("form"));
  }
  function said(n) {
    const details = all("#document details[id^=edit-comment-]");
    if (details.length === 0) return null;
    const one = pick(details, n);
    one.open = true;
    return take(one.querySelector("form"));
  }
  function button(pattern, n) {
    const forms = all("#main form").filter((f) => new RegExp(pattern).test(f.getAttribute("action")));
    if (forms.length === 0) return "";
    form = pick(forms, n);
    field = null;
    return new URL(form.action).pathname;
  }

  // begin puts the caret behind what is in the field, without the notes of
  // others' earlier rewrites.
  function begin(fresh) {
    field.focus();
    if (fresh !== null) {
      const text = fresh === "" ? "" : field.value.replace(note, "").trimEnd();
      if (text !== field.value) { field.value = text; field.dispatchEvent(new Event("input", { bubbles: true })); }
    }
    field.setSelectionRange(field.value.length, field.value.length);
    return document.activeElement === field;
  }

  // send presses the button and returns what was in the field just then.
  function send(value) {
    document.getElementById("alert")?.remove();
    for (const p of form.querySelectorAll(".problem")) p.textContent = "";
    const buttons = all("button:not([type=button]):not([disabled])", form);
    const press = value === undefined ? buttons.filter((b) => b.name !== "delete" && b.name !== "preview")[0] : buttons.find((b) => b.name === "merge" && b.value === value);
    const text = field?.value ?? "";
    form.requestSubmit(press);
    return text;
  }

  // hasty goes on typing in the moment in which the form is being sent.
  function hasty(more) {
    const text = send();
    field.focus();
    document.execCommand("insertText", false, more);
    return [text, field.value.includes(more)];
  }

  // outcome says what became of what was sent; empty while it is under way.
  function outcome() {
    if (!form) return "lost";
    if (form.ariaBusy === "true") return "";
    if (document.querySelector("dialog[open] #conflict") && !form.closest("dialog")) return "conflict";
    const sheet = document.querySelector("dialog[open] form.composer");
    if (sheet && sheet !== form) return "sheet";
    if (document.querySelector("dialog[open] #conflict:not([aria-busy])") && form.id !== "conflict") return "conflict";
    const said = all(".problem", form).map((p) => p.textContent.trim()).find(Boolean) ?? document.getElementById("alert")?.textContent.trim();
    return said ? `refused: ${said}` : "done";
  }

  const conflict = () => take(document.querySelector("dialog[open] #conflict"));
  const sheet = () => take(document.querySelector("dialog[open] form.composer"));
  // merge leaves of two texts the one with the words.
  function merge(text) {
    field.focus();
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const theirs = () => document.querySelector("dialog[open] #conflict [data-close]").click();

  // letter is the text that the agent would get, once it may be sent.
  function letter() {
    const dialog = document.querySelector("dialog[open] #verdict");
    if (!dialog) return null;
    form = dialog;
    field = dialog.querySelector("#verdict-note");
    const press = dialog.querySelector("footer .btn.primary");
    if (press.disabled || form.ariaBusy === "true") return "";
    return dialog.querySelector("#letter").textContent;
  }
  function sendLetter() {
    const text = letter();
    if (text) form.requestSubmit(form.querySelector("footer .btn.primary"));
    return text;
  }

  // where says in which field a text stands, and takes its form.
  function where(text) {
    const found = all("textarea").find((f) => f.value.includes(text));
    if (!found) return Object.values(localStorage).some((v) => v.includes(text)) ? "kept" : "";
    form = found.form;
    field = found;
    return form.closest(".lost") ? "lost" : form.closest("details") ? "details" : form.id || "open";
  }

  const live = () => Boolean(document.querySelector("#live .on"));
  // openLetter follows the way to the feedback, if the page has one.
  function openLetter() {
    const link = document.querySelector(".decide a[href$=feedback]");
    link?.click();
    return link !== null;
  }
  const shows = () => ({ seq: Number(document.body.dataset.seq), version: Number(document.getElementById("main")?.dataset.version ?? 0), live: live() });

  // picture is what the page shows to everybody alike, in lines: the text, the
  // threads and changes beside it, the outline, the counts. What belongs to one
  // person is left out: forms, buttons, marks of what is new to them.
  function picture() {
    const root = document.createElement("div");
    for (const part of ["main", "bar"]) root.append(document.getElementById(part).cloneNode(true));
    const personal = "form, template, .tools, .eyes, .orphan, #lost, .mark, .delta, .was, .gone, .step.removed:not(.told), details[id^=edit-comment-], details[id^=reply-], .agree, .meta, #edit-scope, #bar .spacer, #bar .sum ~ *, #held";
    for (const e of root.querySelectorAll(personal)) e.remove();
    for (const t of root.querySelectorAll("time")) t.textContent = t.dateTime;
    const lines = [];
    for (const e of root.querySelectorAll("#outline, article.step, .thread, .said-by, .sum")) {
      const copy = e.cloneNode(true);
      for (const inner of copy.querySelectorAll(".thread, .said-by")) inner.remove();
      lines.push(`${e.id || e.className}: ${copy.textContent.replace(/\s+/g, " ").trim()}`);
    }
    return lines;
  }

  const markdown = (id) => formOf(id, "rewritten")?.elements.markdown.value;
  return { steps: () => steps().map((s) => s.id), comment, edit, editStep, more, takeEdit: (id, op) => take(formOf(id, op)), moveTo, reply, said, button,
    begin, send, hasty, outcome, conflict, sheet, merge, theirs, letter, openLetter, sendLetter, where, shows, picture, markdown,
    value: () => field?.value ?? "", has: (text) => field?.isConnected && field.value.includes(text) };
})();
