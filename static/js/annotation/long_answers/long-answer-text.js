// The text and its short answers: shown where they are, put in at the cursor, or said in other
// words. The server finds them, in code points; here these become places in the field.
import { announce } from "../../shared/announce.js";
import { save } from "../work/draft.js";
import { goTo } from "../../shared/panels.js";
import { form } from "../sheets/stage.js";
import { tell } from "../../shared/toast.js";

const box = document.getElementById("long-answer");
const said = () => document.getElementById("said");
const changed = () => form.dispatchEvent(new CustomEvent("ambit:changed"));
const points = (text) => [...text].length;
const units = (text, count) => [...text].slice(0, count).join("").length;
let visited = false, opened = null, picked = null;

box.addEventListener("focus", () => { visited = true; });

// The place of words in the field as it is now: of several, the nearest to a code point.
function placeOf(words, point) {
  const text = box.value, near = units(text, point);
  let best = -1;
  for (let at = text.indexOf(words); words && at >= 0; at = text.indexOf(words, at + 1)) if (best < 0 || Math.abs(at - near) < Math.abs(best - near)) best = at;
  return best < 0 ? null : [best, best + words.length];
}

function select([start, end]) {
  goTo(box);
  box.setSelectionRange(start, end);
  // The field is as high as its text, so this is about the height of its line.
  const panel = box.closest(".panel"), view = getComputedStyle(panel).overflowY === "visible" ? document.scrollingElement : panel;
  const line = box.getBoundingClientRect().top + (box.offsetHeight * start) / Math.max(1, box.value.length);
  const top = view === panel ? panel.getBoundingClientRect().top : 0;
  if (line < top + 16 || line > top + view.clientHeight - 64) view.scrollTop += line - top - view.clientHeight / 3;
  box.scrollTop = (box.scrollHeight * start) / Math.max(1, box.value.length) - box.clientHeight / 3;
}

function find({ words, start }) {
  const place = placeOf(words, Number(start));
  if (place) select(place);
  else tell("These words are no longer in your text.");
}

// --- put in at the cursor, or for what is selected ----------------------------------------------

function insert(words) {
  const text = box.value, [at, end] = visited ? [box.selectionStart, box.selectionEnd] : [text.length, text.length];
  const before = at && !/[\s([“‘"'—–-]$/.test(text.slice(0, at)) ? " " : "";
  const after = /^[^\s.,;:!?)\]”’"'—–-]/.test(text.slice(end)) ? " " : "";
  goTo(box);
  box.setSelectionRange(at, end);
  // As if typed, so that undo takes it back.
  if (!document.execCommand("insertText", false, before + words + after)) {
    box.setRangeText(before + words + after, at, end, "end");
    box.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }
  announce(`“${words}” inserted. Undo takes it back.`);
  save();
}

// A draft of a model, as if typed; the form says where the words are from.
function draft(row) {
  form.elements.suggestion.value = row.id.replace("suggestion-", "");
  insert(row.querySelector("[data-draft]").textContent);
}

// --- said in other words -----------------------------------------------------------------------

// The selection in the text, without white space around; null if nothing is selected.
function selection() {
  const { selectionStart: from, selectionEnd: to, value } = box, words = value.slice(from, to);
  return words.trim() && { words: words.trim(), start: from + words.length - words.trimStart().length };
}

const inputOf = (line) => line.querySelector(".say input");
const oneLine = (text) => text.replace(/[\r\n]+/g, " ");

function pick() {
  const now = selection();
  if (!now || !opened?.isConnected || !opened.open) return;
  picked = now;
  const field = inputOf(opened.closest("li"));
  field.value = oneLine(now.words);
  field.removeAttribute("aria-invalid");
}

function say(line) {
  const field = inputOf(line), hint = line.querySelector(".say .hint"), words = field.value.trim();
  const mine = picked && oneLine(picked.words) === words && box.value.startsWith(picked.words, picked.start);
  const place = mine ? [picked.start, picked.start + picked.words.length] : placeOf(words, 0);
  if (!place) {
    hint.textContent = words ? `“${words}” is not in your text. Select the words there.` : "Select the words in your text that say it, or write them here.";
    field.setAttribute("aria-invalid", "true");
    announce(hint.textContent);
    return field.focus();
  }
  keep(line.dataset.position, box.value.slice(...place), points(box.value.slice(0, place[0])));
  picked = null;
  line.focus();
  changed();
  save();
}

// Set the words for one disambiguation, or none to take them back.
function keep(position, words, at) {
  for (const old of said().querySelectorAll(`[name="said-${position}"], [name="said-${position}-at"]`)) old.remove();
  if (!words) return;
  const one = (name, value) => Object.assign(document.createElement("input"), { type: "hidden", name, value });
  said().append(one(`said-${position}`, words), one(`said-${position}-at`, at));
}

document.addEventListener("selectionchange", () => document.activeElement === box && pick());
box.addEventListener("select", pick);

form.addEventListener("toggle", ({ target }) => {
  if (!target.matches(".say") || !target.open) return;
  opened = target;
  pick();
  const field = inputOf(target.closest("li"));
  if (field.value) field.focus();
}, true);

form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing || !event.target.matches(".say input")) return;
  event.preventDefault();
  say(event.target.closest("li"));
});

form.addEventListener("click", (event) => {
  const link = event.target.closest("[data-words]"), button = event.target.closest("button");
  if (link) { event.preventDefault(); find(link.dataset); }
  if (!button) return;
  const [verb] = button.value.split(" "), line = button.closest("[data-position]");
  const drafted = verb === "accept-suggestion" && button.closest("[data-suggestion=long_answer]");
  if (drafted) { event.preventDefault(); draft(drafted); }
  if (!/^(insert|say|unsay)$/.test(verb)) return;
  event.preventDefault();
  if (verb === "insert") insert(button.dataset.insert);
  else if (verb === "say") say(line);
  else { keep(line.dataset.position, ""); line.focus(); changed(); save(); announce("Taken back."); }
});

// --- how long it is ----------------------------------------------------------------------------

box.addEventListener("input", () => {
  const words = box.value.split(/\s+/).filter(Boolean).length, shown = document.getElementById("long-answer-count");
  if (words) shown.textContent = shown.textContent.replace(/^[\d,]+ words?, m|^M/, `${words.toLocaleString("en-GB")} word${words === 1 ? "" : "s"}, m`).replace(/ words$/, "");
});
