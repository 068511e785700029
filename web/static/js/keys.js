// Keys. Nothing needs them, and none of them approves.
import { typing } from "./page.js";
import { openDialog, shut } from "./focus.js";
import { go, here, comment, edit, selectedIn, selectedStep, leave } from "./review.js";

export function start() {
  document.addEventListener("keydown", (e) => {
    if (e.defaultPrevented || e.isComposing) return;
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) sendTyped(e);
    else if (e.key === "Escape") { if (!e.target.closest("dialog") && leave()) e.preventDefault(); else closeMenus(); }
    else if (!e.ctrlKey && !e.metaKey && !e.altKey && !typing(e.target) && !document.querySelector("dialog[open]")) single(e);
  });
  document.addEventListener("click", (e) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(e.target)) menu.open = false;
  });
}

// sendTyped sends the text that one is in, if it is one of those that may be
// sent by key. A verdict never is.
function sendTyped(e) {
  const form = e.target.form;
  if (e.target.tagName !== "TEXTAREA" || !form?.hasAttribute("data-send")) return;
  e.preventDefault();
  form.requestSubmit(form.querySelector("button:not([type=button], [formnovalidate])"));
}

function closeMenus() {
  for (const menu of document.querySelectorAll("details.menu[open]")) shut(menu);
}

function single(e) {
  const step = selectedStep() ?? here() ?? document.querySelector("#document .step.lead, #document .step[data-v]");
  switch (e.key) {
    case "?": openDialog(document.getElementById("keys")); break;
    case "j": go(1); break;
    case "k": go(-1); break;
    case "c": {
      if (!step?.querySelector('[data-do="comment"]')) return;
      comment(step, { quote: selectedIn(step) });
      break;
    }
    case "e": {
      const link = step?.querySelector('[data-do="rewrite"]');
      if (!link) return;
      edit(step, link.href);
      break;
    }
    default: return;
  }
  e.preventDefault();
}
