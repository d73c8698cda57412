// Words selected in the article become an answer, another form of one, or a search. By mouse and
// touch the toolbar follows the selection; by keyboard n and p select sentence by sentence, the
// arrow keys move its start, with Shift its end. Where the words stand is decided by the server.
import { announce } from "./announce.js";
import { addForm, targets } from "./form.js";
import { current } from "./find.js";
import { singleKey } from "./keys.js";
import { addQuote, headers, path, searchFor } from "./reader.js";
import { reveal, root, text } from "./text.js";

const MOST = 1000;
const panel = document.getElementById("read");
const bar = document.getElementById("selection-bar");
const choices = document.getElementById("selection-targets");
const work = document.getElementById("reading").dataset.work;
const button = (name) => bar.querySelector(`[data-do=${name}]`);
let chosen = null, keyed = false, last = "", pressed = false;

// --- what is selected ------------------------------------------------------------------------

// The selection as [start, end] of the article's text, or null.
function selected() {
  const selection = getSelection(), within = root();
  if (!within || !selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!within.contains(range.startContainer) || !range.intersectsNode(within)) return null;
  const all = text(), inside = within.contains(range.endContainer);
  let start = all.position(range.startContainer, range.startOffset);
  let end = inside ? all.position(range.endContainer, range.endOffset) : all.text.length;
  while (start < end && /\s/.test(all.text[start])) start += 1;
  while (end > start && /\s/.test(all.text[end - 1])) end -= 1;
  return start < end ? [start, end] : null;
}

function select(start, end, aloud = true) {
  const range = text().range(start, end);
  getSelection().setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
  chosen = [start, end];
  reveal(range);
  open();
  if (aloud) announce(text().text.slice(start, end));
}

// --- the toolbar -----------------------------------------------------------------------------

function open() {
  const places = targets();
  const many = chosen[1] - chosen[0] > MOST;
  button("answer").hidden = button("alias").hidden = !places.length || many;
  button("alias").hidden ||= !places.some((place) => place.key === last);
  document.getElementById("selection-help").hidden = !keyed;
  choices.hidden = true;
  button("answer").querySelector("span").textContent = places.length === 1 ? "Use as answer" : "Use as answer of…";
  button("alias").querySelector("span").textContent = last === "single" || !last ? "Add alias" : `Alias of pair ${last}`;
  if (!bar.matches(":popover-open")) bar.showPopover();
  place();
}

export function close() {
  chosen = null;
  keyed = false;
  if (bar.matches(":popover-open")) bar.hidePopover();
}

function place() {
  if (!chosen || !text() || !bar.matches(":popover-open")) return;
  if (matchMedia("(max-width: 47.49rem)").matches) { bar.style.left = bar.style.top = ""; return; }
  const rects = text().range(...chosen).getClientRects(), frame = panel.getBoundingClientRect();
  const first = rects[0], end = rects[rects.length - 1];
  if (!end) return;
  const below = end.bottom + 6, above = first.top - bar.offsetHeight - 6;
  const top = below + bar.offsetHeight < innerHeight - 8 ? below : above;
  bar.style.left = `${Math.max(8, Math.min(Math.max(end.left, frame.left + 8), innerWidth - bar.offsetWidth - 8))}px`;
  bar.style.top = `${Math.max(8, Math.min(top, innerHeight - bar.offsetHeight - 8))}px`;
  bar.dataset.away = String(end.bottom < frame.top || first.top > frame.bottom);
}

function offer() {
  const places = targets();
  if (!chosen || !places.length) return;
  if (places.length === 1) { use(places[0].key); return; }
  const next = places.findIndex((one) => one.key === last) + 1;
  choices.replaceChildren(...places.map(({ key, label }, at) => {
    const one = document.createElement("button");
    one.type = "button";
    one.dataset.target = key;
    one.textContent = label.replace(/^Answer of (a )?/, "").replace(/^./, (letter) => letter.toUpperCase());
    if (at < 9 && key !== "new") one.setAttribute("aria-keyshortcuts", String(at + 1));
    return one;
  }));
  choices.hidden = false;
  place();
  choices.children[Math.min(next, choices.children.length - 1)].focus();
}

async function use(key) {
  if (!chosen) return;
  const all = text(), [start, end] = chosen, exact = all.text.slice(start, end).replace(/\s+/g, " ");
  getSelection().removeAllRanges();
  close();
  const body = new URLSearchParams({
    path: path(), exact, start, target: key, made_by: "selection",
    prefix: all.text.slice(Math.max(0, start - 64), start), suffix: all.text.slice(end, end + 64),
  });
  let quote = null, problem = "";
  try {
    const response = await fetch(`${work}quotes/`, { method: "POST", headers, body });
    const reply = await response.json();
    if (response.ok) quote = reply; else problem = reply.detail;
  } catch {
    problem = "Nothing came back from the server.";
  }
  const words = (quote?.exact ?? exact).replace(/\s+/g, " ");
  addForm(key, words, quote);
  last = key === "new" ? String(targets().length - 1) : key;
  if (quote) addQuote(quote);
  else announce(`Added without its place in the article. ${problem}`);
  panel.focus({ preventScroll: true });
}

const ACTIONS = {
  answer: offer,
  alias: () => use(last),
  close: () => { getSelection().removeAllRanges(); close(); panel.focus({ preventScroll: true }); },
  search() {
    const words = text().text.slice(...chosen).replace(/\s+/g, " ").slice(0, 500);
    close();
    searchFor(words);
  },
};

bar.addEventListener("pointerdown", (event) => event.preventDefault()); // the selection stays
bar.addEventListener("click", (event) => {
  const pressedButton = event.target.closest("button");
  if (pressedButton?.dataset.target) use(pressedButton.dataset.target);
  else if (pressedButton) ACTIONS[pressedButton.dataset.do]();
});
bar.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); if (choices.hidden) ACTIONS.close(); else { choices.hidden = true; button("answer").focus(); } }
  if (!choices.hidden && /^[1-9]$/.test(event.key)) { event.preventDefault(); choices.querySelector(`[aria-keyshortcuts="${event.key}"]`)?.click(); }
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const all = [...bar.querySelectorAll("button")].filter((one) => one.checkVisibility());
  all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
});

// --- by mouse and touch ------------------------------------------------------------------------

function follow() {
  if (pressed || keyed || bar.contains(document.activeElement)) return;
  chosen = selected();
  if (chosen) open(); else close();
}

let settling;
document.addEventListener("pointerdown", (event) => { if (!bar.contains(event.target)) { pressed = event.pointerType === "mouse"; keyed = false; } });
document.addEventListener("pointerup", () => { pressed = false; setTimeout(follow); });
document.addEventListener("selectionchange", () => {
  clearTimeout(settling);
  if (!keyed) settling = setTimeout(follow, 250);
});
for (const box of [panel, document]) box.addEventListener("scroll", place, { passive: true });
addEventListener("resize", place);

// --- by keyboard -------------------------------------------------------------------------------

const segments = new WeakMap();

// Sentences of the whole article, as [start, end] without white space around.
function sentences() {
  const all = text();
  if (segments.has(all)) return segments.get(all);
  const found = [];
  for (const { segment, index } of new Intl.Segmenter(document.getElementById("article").lang || "en", { granularity: "sentence" }).segment(all.text)) {
    const lead = segment.length - segment.trimStart().length, words = segment.trim();
    if (words) found.push([index + lead, index + lead + words.length]);
  }
  segments.set(all, found);
  return found;
}

// The edge of the next word from a position, in one direction.
function wordEdge(from, step, atStart) {
  const all = text().text, begin = Math.max(0, from - 400);
  const words = [...new Intl.Segmenter("en", { granularity: "word" }).segment(all.slice(begin, from + 400))].filter((part) => part.isWordLike);
  const edges = words.map((part) => begin + part.index + (atStart ? 0 : part.segment.length));
  return (step > 0 ? edges.find((edge) => edge > from) : edges.findLast((edge) => edge < from)) ?? from;
}

// The first sentence in sight.
function inSight() {
  const top = panel.getBoundingClientRect().top + 56;
  const at = sentences().findIndex((span) => {
    const box = text().range(...span).getBoundingClientRect();
    return box.height && box.top >= top;
  });
  return Math.max(0, at);
}

function byStep(step) {
  const all = sentences(), from = chosen ?? (keyed ? null : selected()) ?? current();
  keyed = true;
  if (!from) { select(...all[inSight()]); return; }
  const holding = Math.max(0, all.findIndex(([, end]) => end > from[0]));
  const whole = all[holding][0] === from[0] && all[holding][1] === from[1];
  const first = !chosen && !whole;
  select(...all[first ? holding : Math.max(0, Math.min(all.length - 1, holding + step))]);
}

function adjust(step, atStart) {
  let [start, end] = chosen;
  if (atStart) start = Math.min(wordEdge(start, step, true), end - 1);
  else end = Math.max(wordEdge(end, step, false), start + 1);
  select(start, end);
}

document.addEventListener("keydown", (event) => {
  if (!text() || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const here = event.target === document.body || (panel.contains(event.target) && !event.target.matches("input, a, button, summary"));
  const steps = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 };
  let done = true;
  if (event.key === "Escape" && chosen) ACTIONS.close();
  else if (here && keyed && chosen && /^Arrow(Up|Down)$/.test(event.key)) byStep(steps[event.key]);
  else if (here && keyed && chosen && /^Arrow(Left|Right)$/.test(event.key)) adjust(steps[event.key], !event.shiftKey);
  else if (here && event.key === "Enter" && current() && !chosen) byStep(0);
  else if (!singleKey(event)) done = false;
  else if (event.key === "n") byStep(1);
  else if (event.key === "p") byStep(-1);
  else if (event.key === "a" && chosen) offer();
  else if (event.key === "l" && chosen) { if (targets().some((one) => one.key === last)) use(last); else offer(); }
  else done = false;
  if (done) event.preventDefault();
});
