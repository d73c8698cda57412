// Accepted forms as chips: Enter adds, the cross removes, Backspace in an empty box goes back to the
// last chip. Text left in the box counts as a form, too.
import { announce } from "../../shared/announce.js";
import { tell } from "../../shared/toast.js";

const boxOf = (list) => list.querySelector(":scope > li:last-child > input");
const told = (list) => list.closest("form").dispatchEvent(new CustomEvent("ambit:changed"));

function hidden(name, value) {
  return Object.assign(document.createElement("input"), { type: "hidden", name, value });
}

// The ids of quotes as a field holds them, with spaces between, each once.
export const ids = (...lists) => [...new Set(lists.join(" ").split(" "))].filter(Boolean).join(" ");

export function addChip(list, text, quote = "") {
  const words = text.replace(/\s+/g, " ").trim();
  const same = [...list.querySelectorAll(".chip")].find((each) => each.querySelector("[name$=-answer]").value.toLowerCase() === words.toLowerCase());
  const proof = same?.querySelector("[name$=-quote]");
  if (proof) proof.value = ids(proof.value, quote); // typed or pasted before, now with its place in an article
  if (!words || same) return false;
  const chip = document.createElement("li");
  chip.className = "chip";
  const shown = document.createElement("span");
  shown.textContent = words;
  const remove = document.createElement("button");
  remove.type = "button";
  remove.setAttribute("aria-label", `Remove ${words}`);
  remove.textContent = "×";
  const proven = "origins" in list.dataset ? hidden(`${list.dataset.forms}-origin`, "") : hidden(`${list.dataset.forms}-quote`, quote);
  chip.append(shown, hidden(`${list.dataset.forms}-answer`, words), proven, remove);
  list.insertBefore(chip, list.lastElementChild);
  const box = boxOf(list);
  box.placeholder = "Another alias";
  box.dataset.touched = "";
  return true;
}

// The forms of one answer, as {text, quote}, the ids of its quotes; `typed`: also what stands in the box.
export function formsIn(list, typed = true) {
  const found = [...list.querySelectorAll(".chip")].map((chip) => ({
    text: chip.querySelector("[name$=-answer]").value,
    quote: chip.querySelector("[name$=-quote]").value,
  }));
  const text = boxOf(list).value.trim();
  if (typed && text) found.push({ text, quote: "" });
  return found;
}

// Replace one form by others; several lines are several forms.
export function replaceForm(list, old, value) {
  const lines = value.split("\n");
  const chip = [...list.querySelectorAll(".chip")].find((each) => each.querySelector("[name$=-answer]").value === old);
  const quote = lines.length === 1 ? chip?.querySelector("[name$=-quote]").value ?? "" : "";
  if (chip) chip.remove();
  else if (boxOf(list).value.trim() === old) boxOf(list).value = "";
  for (const line of lines) addChip(list, line, quote);
}

function onward(list) {
  const pair = list.closest("[data-pair]");
  const next = pair?.nextElementSibling?.querySelector("textarea");
  (next ?? (pair && document.getElementById("add-pair")))?.focus();
}

document.addEventListener("keydown", (event) => {
  const input = event.target;
  if (!input.matches?.(".chips > li > input:not([type=hidden])") || event.isComposing) return;
  const list = input.closest(".chips");
  if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    if (!input.value.trim()) return onward(list);
    addChip(list, input.value);
    input.value = "";
    told(list);
  } else if (event.key === "Backspace" && !input.value) {
    const last = [...list.querySelectorAll(".chip button")].at(-1);
    if (last) { event.preventDefault(); last.focus(); }
  }
});

document.addEventListener("paste", (event) => {
  const input = event.target;
  if (!input.matches?.(".chips > li > input:not([type=hidden])") || input.value.trim()) return;
  const lines = (event.clipboardData?.getData("text/plain") ?? "").split(/\r?\n/).filter((line) => line.trim());
  const list = input.closest(".chips"), fit = lines.filter((line) => line.trim().length <= input.maxLength), left = lines.length - fit.length;
  // One that is too long goes into the box, where limits.js says what was left out of it.
  if (!fit.length && lines.length < 2) return;
  event.preventDefault();
  for (const line of fit) addChip(list, line);
  if (left) tell(`${left} of ${lines.length} lines left out: an answer has at most ${input.maxLength.toLocaleString("en-GB")} characters.`);
  if (fit.length) told(list);
});

document.addEventListener("click", (event) => {
  const button = event.target.closest(".chip button");
  if (!button) return;
  event.preventDefault();
  const chip = button.closest(".chip"), list = chip.closest(".chips");
  announce(`${chip.querySelector("[name$=-answer]").value} removed.`);
  chip.remove();
  boxOf(list).focus();
  told(list);
});
