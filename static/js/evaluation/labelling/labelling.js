// Labelling by keyboard: a digit chooses a category; where there is one to choose, it saves at once
// and the next item comes. In a long answer a digit highlights the words that are selected. Places
// count characters (code points), as the server does.
import { announce } from "../../shared/announce.js";
import { singleKey } from "../../shared/keys.js";
import { tell, toast } from "../../shared/toast.js";

const form = document.getElementById("labels-form");
const boxes = [...form.querySelectorAll("[data-digit]")];
const atOnce = form.querySelector("[data-at-once]") !== null;
const field = document.getElementById("id_spans"), list = document.getElementById("highlights");
const answer = field && document.getElementById("answer-text");
const submit = form.querySelector("[data-submit]");
const whole = answer?.textContent ?? "", letters = [...whole];
const numbers = new Map(boxes.map((box, at) => [box.value, at + 1]));
const labelOf = (key) => boxes.find((box) => box.value === key)?.dataset.label;
let spans = answer ? JSON.parse(field.value || "[]") : [];
let sent = false;

// --- choosing --------------------------------------------------------------------------------

function choose(box, on = !box.checked || box.type === "radio") {
  box.checked = on;
  if (!on || box.type === "radio") return;
  // “None of these” and the others exclude each other.
  for (const other of boxes) if (other !== box && ("alone" in box.dataset || "alone" in other.dataset)) other.checked = false;
}

function save() {
  if (sent) return;
  sent = true;
  form.requestSubmit(submit);
}

form.addEventListener("change", ({ target }) => { if ("digit" in target.dataset && target.checked) choose(target, true); });
addEventListener("pageshow", () => { sent = false; });

// --- highlighting ----------------------------------------------------------------------------

// The place of a point of the page in the text, in code points.
function placeOf(node, offset) {
  const before = document.createRange();
  before.setStart(answer, 0);
  before.setEnd(node, offset);
  return [...before.toString()].length;
}

function selected() {
  const selection = getSelection();
  if (!answer || selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  if (!answer.contains(range.startContainer) || !answer.contains(range.endContainer)) return null;
  let [start, end] = [placeOf(range.startContainer, range.startOffset), placeOf(range.endContainer, range.endOffset)];
  while (start < end && !letters[start].trim()) start += 1;
  while (start < end && !letters[end - 1].trim()) end -= 1;
  return start < end ? { start, end } : null;
}

function draw() {
  const edges = [...new Set([0, letters.length, ...spans.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b);
  answer.replaceChildren(...edges.slice(1).map((end, at) => {
    const start = edges[at], text = letters.slice(start, end).join("");
    const keys = [...new Set(spans.filter((span) => span.start <= start && end <= span.end).map((span) => span.category))];
    if (!keys.length) return document.createTextNode(text);
    const mark = document.createElement("mark");
    mark.textContent = text;
    mark.dataset.numbers = keys.map((key) => numbers.get(key)).join(" ");
    mark.title = keys.map(labelOf).join(", ");
    return mark;
  }));
  list.replaceChildren(...spans.map((span, at) => {
    const line = document.createElement("li"), badge = document.createElement("span");
    const quote = document.createElement("q"), remove = document.createElement("button");
    const words = letters.slice(span.start, span.end).join(""), more = document.createElement("span");
    Object.assign(badge, { className: "badge", textContent: `${numbers.get(span.category)} ${labelOf(span.category)}` });
    Object.assign(quote, { textContent: words, dir: "auto" });
    Object.assign(remove, { className: "button quiet small", name: "remove", value: at, textContent: "Remove" });
    remove.setAttribute("form", form.id);
    Object.assign(more, { className: "visually-hidden", textContent: ` ${labelOf(span.category)}: ${words}` });
    remove.append(more);
    line.append(badge, " ", quote, " ", remove);
    return line;
  }));
  field.value = JSON.stringify(spans.map(({ start, end, category }) => ({ start, end, category })));
}

function put(changed) {
  spans = changed.sort((one, other) => one.start - other.start || one.end - other.end);
  draw();
}

function highlight(box, { start, end }) {
  if ("alone" in box.dataset) return tell("Choose a category for these words, or select nothing.");
  const before = [...spans], was = boxes.map((each) => each.checked), category = box.value;
  if (before.some((span) => span.start === start && span.end === end && span.category === category)) return;
  put([...before, { start, end, category }]);
  choose(box, true);
  getSelection().removeAllRanges();
  word = null;
  toast(`Highlighted: ${labelOf(category)}.`, "Undo", () => {
    put(before);
    boxes.forEach((each, at) => { each.checked = was[at]; });
  });
}

// With words selected, a press on a category is for them; it would otherwise take the selection away.
let held = null;
form.addEventListener("pointerdown", ({ target }) => { held = target.closest(".choice") ? selected() : null; });
form.addEventListener("click", (event) => {
  const box = event.target.closest(".choice")?.querySelector("input");
  if (!box || !held) return;
  event.preventDefault();
  highlight(box, held);
  held = null;
});

list?.addEventListener("click", (event) => {
  const button = event.target.closest("[name=remove]");
  if (!button) return;
  event.preventDefault();
  const gone = spans[button.value];
  put(spans.filter((span) => span !== gone));
  if (!spans.some(({ category }) => category === gone.category)) boxes.find((box) => box.value === gone.category).checked = false;
  announce("Highlight removed.");
  answer.focus();
});

// --- selecting by keyboard: word by word -------------------------------------------------------

// The words as [start, end] in UTF-16, as ranges count; and the first and last of those selected.
const words = [...whole.matchAll(/\S+/gu)].map((found) => [found.index, found.index + found[0].length]);
let word = null;

function point(offset) {
  const walker = document.createTreeWalker(answer, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(), left = offset; node; left -= node.length, node = walker.nextNode()) {
    if (left <= node.length) return [node, left];
  }
  return [answer, answer.childNodes.length];
}

function move(step, extend) {
  const last = words.length - 1, to = word ? Math.min(last, Math.max(0, word.head + step)) : 0;
  word = { anchor: word && extend ? word.anchor : to, head: to };
  const [from, until] = [Math.min(word.anchor, word.head), Math.max(word.anchor, word.head)];
  getSelection().setBaseAndExtent(...point(words[from][0]), ...point(words[until][1]));
  announce(whole.slice(words[from][0], words[until][1]));
}

answer?.addEventListener("pointerdown", () => { word = null; });

const STEPS = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 8, ArrowUp: -8 };

document.addEventListener("keydown", (event) => {
  if (answer && event.target === answer && event.key in STEPS && words.length && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    return move(STEPS[event.key], event.shiftKey);
  }
  if (!singleKey(event) || document.querySelector(":popover-open")) return;
  const box = boxes.find(({ dataset }) => dataset.digit === event.key);
  if (box) {
    event.preventDefault();
    const words = selected();
    if (words) highlight(box, words);
    else choose(box);
    if (atOnce) save();
  } else if (event.key === "Enter" && !event.target.closest?.("a, button, summary, select")) {
    event.preventDefault();
    save();
  }
});
