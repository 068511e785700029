// Questions: writing chooses one's own words, numbers choose an option, and a
// card that somebody else was faster with says so and keeps what was written.
import { say } from "./page.js";
import { onUpdate } from "./morph.js";
import { discard, forget } from "./drafts.js";

export function start() {
  document.addEventListener("input", (e) => { if (e.target.matches(".one-question textarea")) own(e.target); });
  document.addEventListener("formdata", (e) => leaveOut(e));
  document.addEventListener("keydown", number);
  document.addEventListener("click", (e) => {
    const away = e.target.closest("[data-forget]");
    if (away) forget(document.getElementById(away.dataset.forget));
    if (e.target.closest("[data-give-up]")) giveUp(e.target.closest(".ask"));
  });
  onUpdate(look);
  look();
}

function look() {
  for (const field of document.querySelectorAll(".one-question textarea")) if (!chosen(field)) own(field);
  for (const form of document.querySelectorAll("form[data-question]:not([data-over])")) over(form);
}

const chosen = (field) => field.closest("fieldset").querySelector("input[type=radio]:checked");

// own chooses "something else" when there is something else.
function own(field) {
  const radio = field.closest("fieldset").querySelector("input[value=own]");
  if (radio && field.value.trim() !== "") radio.checked = true;
}

// leaveOut: of a choice and a text beside it, what is chosen last counts.
function leaveOut({ target: form, formData }) {
  if (!form.dataset.question) return;
  for (const field of form.querySelectorAll(".one-question textarea")) {
    const radio = chosen(field);
    if (radio && radio.value !== "own") formData.delete(field.name);
  }
}

function number(e) {
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || !/^[1-9]$/.test(e.key) || !e.target.matches(".one-question input")) return;
  const option = e.target.closest("fieldset").querySelectorAll("input:not([value=own])")[e.key - 1];
  if (!option) return;
  e.preventDefault();
  option.focus();
  option.click();
}

// over closes a card whose question has been answered; it is still here only
// because something was written in it.
function over(form) {
  const told = document.querySelector(`[data-answers="${CSS.escape(form.dataset.question)}"] .t`);
  if (!told) return;
  form.dataset.over = "";
  const card = form.closest(".ask");
  card.dataset.keep = "";
  card.classList.add("calm");
  form.querySelector(`#answer-problem-${CSS.escape(form.dataset.question)}`).textContent = told.innerText;
  say(told.innerText);
  for (const field of form.querySelectorAll("textarea")) field.readOnly = true;
  for (const input of form.querySelectorAll("input")) input.disabled = true;
  for (const button of form.querySelectorAll(".opts button")) button.hidden = !button.hasAttribute("data-give-up");
}

function giveUp(card) {
  discard(card.querySelector("form"));
  card.remove();
  document.getElementById("main").focus({ preventScroll: true });
}
