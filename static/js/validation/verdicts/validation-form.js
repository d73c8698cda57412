// The form of validation: presses, ticked answers, keys, and words selected in the article.
import { announce } from "../../shared/announce.js";
import { addChip } from "../../annotation/sheets/chips.js";
import { pressed, save } from "../../annotation/work/draft.js";
import { shortcut } from "../../shared/keys.js";
import { show } from "../../shared/panels.js";
import { form, stage } from "../../annotation/sheets/stage.js";
import { clear, tell, toast } from "../../shared/toast.js";

const id = (name) => document.getElementById(name);
const items = () => [...document.querySelectorAll("#rows > [data-row]")];
const ticked = () => [...document.querySelectorAll("#rows [name=select]:checked")];
const boxOf = (item) => item.querySelector(".chips[data-forms]");
// The button whose press changes the rows; draft.js handles the others.
const works = (config) => { const button = pressed(config); return button && !/^overwrite\b/.test(button.value) && !button.matches("[data-submit]") ? button : null; };
let shapes = 0, from = null;

// --- presses -----------------------------------------------

// Nothing changes until the server has answered a press. A field that has the focus would keep
// its part as it is.
form.addEventListener("htmx:beforeSend", ({ detail }) => {
  const rows = id("rows");
  if (!works(detail.requestConfig)) return;
  from = document.activeElement;
  rows.setAttribute("aria-busy", "true");
  clear();
  if (rows.contains(from)) form.focus({ preventScroll: true });
  rows.inert = true;
});

form.addEventListener("htmx:afterRequest", ({ detail }) => {
  const button = works(detail.requestConfig), { status } = detail.xhr, rows = id("rows");
  if (!button) return;
  rows.inert = false;
  rows.removeAttribute("aria-busy");
  if (!status || status >= 400) {
    if (status === 422) id("problems")?.focus(); else if (from?.isConnected) from.focus();
    return;
  }
  shapes += 1;
  tools();
  arrive(rows.dataset.focus, button.value);
  const { told } = rows.dataset;
  if (told) toast(`${told}.`, "Undo", () => id("tool-undo").click());
  else if (button.value === "undo") announce("Undone.");
});

function arrive(name, action) {
  if (/^(undo|reset)$/.test(action)) return id(`tool-${action}`)?.focus();
  const place = id(name), way = /^move-(up|down) (.*)/.exec(action);
  if (way) {
    const both = [...id(`item-${way[2]}`).querySelectorAll("[value^=move-]")];
    return (both.find((one) => one.value === action) ?? both[0])?.focus();
  }
  if (place) { show(place.closest("#checks") ? "checks" : "write"); place.focus(); }
}

form.tabIndex = -1;
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=action]");
  if (!button || button.form !== form) return;
  if (button.getAttribute("aria-disabled") === "true") {
    event.preventDefault();
    tell(button.title || "There is nothing to undo.");
  } else button.closest("[popover]")?.hidePopover();
});

// --- the tools ---------------------------------------------

function tools() {
  const all = ticked(), several = all.length > 1;
  const can = all.some((box) => box.closest("[data-row]").querySelector("[value^='separate ']"));
  const words = !all.length ? "Tick answers to combine them" : several ? `${all.length} selected` : "1 selected, combining needs 2";
  id("selected").textContent = words;
  off("combine", !several, words);
  off("separate", !can, "Tick an answer that was combined or merged.");
  off("exclude", !all.length, "Tick the answers to exclude.");
}

function off(name, is, why) {
  const button = id(`tool-${name}`);
  if (is) { button.setAttribute("aria-disabled", "true"); button.title = why; } else { button.removeAttribute("aria-disabled"); button.removeAttribute("title"); }
}

form.addEventListener("change", ({ target }) => {
  if (target.name === "select") return tools();
  if (/^verdict-\d+$/.test(target.name)) {
    target.closest("fieldset").querySelector(".derived").textContent = "Chosen by you.";
    return;
  }
  const group = target.closest("[data-keeps]");
  if (group && !group.querySelector(":checked")) {
    target.checked = true;
    tell("At least one question must stay. Write another one first.");
  }
});
form.addEventListener("input", ({ target }) => {
  if (target.name !== "select") clear();
});
// After a reply has replaced the tools or the rows.
new MutationObserver((changes) => changes.some(({ addedNodes }) => [...addedNodes].some((node) => /^(tools|rows)$/.test(node.id))) && tools())
  .observe(form, { childList: true, subtree: true });

// --- keys --------------------------------------------------

const current = () => document.activeElement.closest?.("[data-row]");

function step(by) {
  const all = items(), at = all.indexOf(current());
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by))];
  // Never a text field, which would take the next key.
  (next?.querySelector("[name=select], [value^='put-back ']") ?? next?.querySelector("h3"))?.focus();
}

function onChosen(verb) {
  const item = current(), own = item?.querySelector(`[value="${verb} ${item.dataset.row}"]`);
  if (ticked().length || (item && !own)) id(`tool-${verb}`).click();
  else if (own) own.click();
  else tell("Tick an answer first, or move to one.");
}

const KEYS = {
  down: () => step(1),
  up: () => step(-1),
  combine: () => (ticked().length > 1 ? id("tool-combine").click() : tell("Tick two answers to combine them.")),
  separate: () => onChosen("separate"),
  exclude: () => onChosen("exclude"),
  undo: () => id("tool-undo").click(),
  edit() {
    const item = current() ?? items()[0];
    const field = item?.querySelector("textarea, .chips > li:last-child > input");
    const details = field?.closest("details");
    if (details) details.open = true;
    field?.focus();
  },
};
document.addEventListener("keydown", (event) => {
  const does = KEYS[shortcut(event)];
  if (!does || document.querySelector(".selection-bar:popover-open") || event.target.closest("[popover]")) return;
  event.preventDefault();
  if (!document.querySelector(".bar[inert]")) does();
});

// A question is one line.
form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches("textarea[name$=-question]") && !event.ctrlKey && !event.metaKey && !event.isComposing) {
    event.preventDefault();
    save();
  }
});

// --- for text that was kept on this device -----------------

// Put texts and choices back into the rows that are still there.
function fill(saved) {
  const all = (name) => saved.filter(([each]) => each === name).map(([, value]) => value);
  for (const list of form.querySelectorAll(".chips[data-forms]")) {
    const origins = all(`${list.dataset.forms}-origin`);
    for (const [at, text] of all(`${list.dataset.forms}-answer`).entries()) {
      const place = origins[at] && list.querySelector(`.chip:has([value="${origins[at]}"]) [name$=-answer]`);
      if (place) place.value = text;
      else if (text.trim()) addChip(list, text);
    }
  }
  const seen = {};
  for (const field of form.elements) {
    const { name, type } = field;
    if (/-(question|why)$|^feedback$/.test(name) && type !== "hidden") {
      const at = seen[name] = (seen[name] ?? -1) + 1;
      field.value = all(name)[at] ?? field.value;
    } else if (type === "radio" && /^verdict-\d+$/.test(name)) field.checked = all(name)[0] === field.value;
    else if (type === "checkbox" && /-keep$/.test(name)) field.checked = all(name).includes(field.value);
  }
  form.dispatchEvent(new CustomEvent("ambit:changed"));
}

// --- for the reading side, and for replies -----------------

// A reply to older text is not put over newer; the next one is.
const fits = (part, sameShape, sameText) => sameText || !/^(item-|rows$|verdicts$|keeps$)/.test(part.id);

const standing = () => items().filter(boxOf);

Object.assign(stage, {
  fill,
  fits,
  one: "answer",
  shape: () => shapes,
  keyOf: (list) => String(standing().indexOf(list.closest("[data-row]")) + 1),
  targets: () => (document.querySelector(".bar[inert]") ? [] : standing().map((item, at) => ({ key: String(at + 1), label: `Answer of answer ${item.dataset.letter}` }))),
  addForm(key, text) {
    const item = standing()[Number(key) - 1];
    if (!item) return false;
    addChip(boxOf(item), text);
    announce(`“${text}” added to answer ${item.dataset.letter}.`);
    form.dispatchEvent(new CustomEvent("ambit:changed"));
    return true;
  },
});

tools();

// --- the article beside the answers: opened by a page or a quote

if ("article" in document.querySelector(".validation").dataset) show("read");
document.querySelector("[data-close-reader]").addEventListener("click", () => { show("write"); id("write").focus(); });
