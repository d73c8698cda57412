// Judging by keyboard: a digit chooses in the row with the focus, and the focus goes on to the next
// row, or to the field that a choice asks for. Selected words of a text go into the field of a row.
import { save } from "../../annotation/work/draft.js";
import { singleKey, shortcut } from "../../shared/keys.js";
import { form, stage } from "../../annotation/sheets/stage.js";
import { tell, toast } from "../../shared/toast.js";

const rows = () => [...form.querySelectorAll("[data-digits]")];
const radios = (row) => [...row.querySelectorAll("[type=radio]")];
const chosen = (row) => radios(row).find((radio) => radio.checked);
// The row that had the focus last, and the words selected last: {side, words}.
let current = null, selected = null;

function put(field, value) {
  field.value = value;
  field.dataset.touched = "";
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function enter(row) {
  const radio = chosen(row) ?? radios(row)[0];
  radio.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

function choose(row, radio) {
  radio.click();
  const next = rows()[rows().indexOf(row) + 1], asked = document.getElementById(radio.dataset.then);
  if (asked) asked.focus();
  else if (next) enter(next);
  else document.querySelector("[data-submit]").focus();
}

// What is selected in a text, kept until something else is.
document.addEventListener("selectionchange", () => {
  const selection = getSelection(), words = String(selection).replace(/\s+/g, " ").trim();
  if (!words) return;
  const within = selection.getRangeAt(0).commonAncestorContainer;
  const text = (within.nodeType === 1 ? within : within.parentElement).closest(".rival > .material");
  selected = text && { side: text.id.replace(/-text$/, ""), words };
});

function mark(row) {
  const field = row?.querySelector(".words input");
  if (!field) return;
  if (!selected || !row.id.startsWith(selected.side)) return tell("Select words in the text above first.");
  const before = field.value;
  put(field, selected.words);
  enter(row);
  toast("Words marked.", "Undo", () => put(field, before));
}

// A choice is whole at once, so nothing waits for a pause, as it does for what is typed.
form?.addEventListener("change", ({ target }) => { if (target.matches("[data-digits] [type=radio]")) save(); });

form?.addEventListener("focusin", ({ target }) => { current = target.closest("[data-digits]") ?? current; });

form?.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if ("mark" in button.dataset) mark(button.closest("[data-digits]"));
  if ("fix" in button.dataset) {
    event.preventDefault();
    const field = document.getElementById(button.dataset.fix), before = field.value;
    field.focus();
    put(field, button.dataset.value);
    toast("The words were removed.", "Undo", () => { put(field, before); field.focus(); });
  }
});

document.addEventListener("keydown", (event) => {
  if (shortcut(event) === "mark") return mark(current);
  if (!singleKey(event) || document.querySelector(":popover-open")) return;
  // Where there is one decision, a digit makes it from anywhere on the page.
  const row = event.target.closest?.("[data-digits]") ?? form?.querySelector(".decision");
  if (!row) return;
  const radio = radios(row).find(({ dataset }) => dataset.digit === event.key);
  if (!radio) return;
  event.preventDefault();
  choose(row, radio);
});

function fill(saved) {
  for (const [name, value] of saved) {
    const field = form.elements[name];
    if (!field || !value) continue;
    if (field instanceof RadioNodeList) for (const radio of field) radio.checked = radio.value === value && radio.type === "radio";
    else field.value = value;
  }
  form.dispatchEvent(new CustomEvent("ambit:changed"));
}

Object.assign(stage, { fill });

// The first row that is still open.
const open = rows().find((row) => !chosen(row));
if (open && !location.hash && document.activeElement === document.body) enter(open);
