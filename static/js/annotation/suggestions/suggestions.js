// Suggestions of a model, on the page of any stage. The server makes a pair, a piece or an answer of
// one that is accepted, and sends it with its reply; the stage gives it its number. Keys lead from
// one to the next: a decision leads to the next that is open.
import { announce } from "../../shared/announce.js";
import { pressed } from "../work/draft.js";
import { pairsOf, shortcut } from "../../shared/keys.js";
import { goTo, show } from "../../shared/panels.js";
import { form, stage } from "../sheets/stage.js";
import { tell } from "../../shared/toast.js";

const panel = () => document.getElementById("suggestions");
const all = () => [...panel().querySelectorAll(".suggestion")];
const current = () => document.activeElement.closest?.(".suggestion");
let keyed = false, reading = null;
// Where there is an article to read.
if (document.getElementById("reader")) import("./passages.js").then((module) => { reading = module; }).catch(() => {});

// --- keys ----------------------------------------------------------------------------------------

function go(to) {
  if (!to) return tell(panel().querySelector(".hint").textContent);
  show("write");
  to.focus();
  to.scrollIntoView({ block: "nearest" });
}

function step(by) {
  const rows = all(), at = rows.indexOf(current());
  if (at >= 0) return go(rows[Math.max(0, Math.min(rows.length - 1, at + by))]);
  const open = rows.filter((row) => row.matches(".open"));
  go((by > 0 ? open[0] : open.at(-1)) ?? rows[0]);
}

function press(name) {
  const button = current()?.querySelector(`[data-does=${name}]`);
  if (!button) return tell("Go to a suggestion that is not decided yet.");
  keyed = true;
  button.click();
}

const KEYS = {
  suggestions: () => step(1),
  next_suggestion: () => step(1),
  previous_suggestion: () => step(-1),
  accept: () => press("accept"),
  edit_first: () => press("edit_first"),
  dismiss: () => press("dismiss"),
  passage: () => current()?.querySelector("[data-passage]")?.click(),
};

// Before the page's own keys: while the panel has the focus, its keys are the ones that count.
document.addEventListener("keydown", (event) => {
  if (!panel() || event.target.closest?.("[popover]")) return;
  const does = panel().contains(event.target) ? shortcut(event, pairsOf(panel())) : shortcut(event);
  if (!KEYS[does] || document.querySelector(".bar[inert], .selection-bar:popover-open")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  KEYS[does]();
}, true);

// --- passages ------------------------------------------------------------------------------------

let passage = "";

// Before reader.js opens the page: one that is open is not read again.
addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-passage]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  passage = link.dataset.passage;
  if (!reading?.isOpen(link)) return;
  event.preventDefault();
  event.stopPropagation();
  showPassage();
}, true);
document.addEventListener("ambit:read", showPassage);

function showPassage() {
  if (passage) reading?.showPassage(passage);
  passage = "";
}

// --- replies -------------------------------------------------------------------------------------

// After swap.js has put the focus back, and after the stage has read its own reply.
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  const [verb] = pressed(detail.requestConfig)?.value.split(" ") ?? [], { status } = detail.xhr;
  if (!verb?.endsWith("-suggestion") || !panel()) return;
  if (!status || status >= 400) {
    const problems = status === 422 && document.getElementById("problems");
    if (problems) goTo(problems);
    return;
  }
  const mark = form.querySelector("[data-made]"), made = mark?.parentElement;
  if (made) {
    delete mark.dataset.made;
    announce(stage.took(made));
    if (verb === "edit-suggestion") return made.querySelector("textarea, [data-text]").focus();
  } else if (verb === "edit-suggestion") return;
  if (verb !== "put-back-suggestion") decided(made);
});

// On to the next that is open: in view for those who use keys, else what was made is.
function decided(made) {
  const next = all().find((row) => row.matches(".open")) ?? document.getElementById("suggestions-title");
  next.focus({ preventScroll: !keyed });
  if (made && !keyed) made.scrollIntoView({ block: "nearest" });
  keyed = false;
}
