// Words selected in the article become an answer, another form of one, its evidence, or a search.
// By mouse and touch the toolbar follows the selection; by keyboard n and p select sentence by
// sentence, the left and right arrows word by word, with Shift more or fewer of them; leaving Find
// selects the match. Text pasted into an answer is looked for on the pages that were opened. The
// server decides where the words are. A stage with `evidenceOnly` takes them as evidence and as
// nothing else; its `pasteInto(field)` gives the key of the target pasted into.
import { announce } from "../../shared/announce.js";
import { theirs } from "./canonical.js";
import { formsIn } from "../sheets/chips.js";
import { unstopped } from "./endings.js";
import { current } from "./find.js";
import { shortcut } from "../../shared/keys.js";
import { path, post } from "./page.js";
import { addQuote } from "./quotes.js";
import { searchFor } from "./reader.js";
import { stage } from "../sheets/stage.js";
import { reveal, root, text } from "./text.js";
import { tell } from "../../shared/toast.js";

const MOST = 1000;
const id = (name) => document.getElementById(name);
const panel = id("read"), bar = id("selection-bar"), choices = id("selection-targets");
const button = (name) => bar.querySelector(`[data-do=${name}]`);
const line = (words) => words.replace(/\s+/g, " ").trim();
// The selection, as [start, end] of the text; whether by keyboard; where the last answer went.
let chosen = null, keyed = false, then = use, last = "", pressed = false, copied = null, settling;
// Which end of it Shift moves: the one moved last, null for either.
let moving = null;
const sheet = matchMedia("(max-width: 47.49rem)");

// --- what is selected ----------------------------------------------------------------------

function selected() {
  const selection = getSelection(), within = root();
  if (!within || selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0), all = text();
  if (!within.contains(range.startContainer)) return null;
  let start = all.position(range.startContainer, range.startOffset);
  let end = within.contains(range.endContainer) ? all.position(range.endContainer, range.endOffset) : all.text.length;
  const words = all.text.slice(start, end);
  end -= words.length - words.trimEnd().length;
  start += words.length - words.trimStart().length;
  return start < end ? [start, end] : null;
}

function select(place, end = null) {
  const range = text().range(place);
  keyed = true;
  moving = end;
  getSelection().setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
  chosen = place;
  reveal(place);
  open();
  announce(text().text.slice(...place));
}

// --- the toolbar ---------------------------------------------------------------------------

// The answers that words can support, if there are any.
const supported = () => (stage.listOf ? stage.targets().filter(({ key }) => key !== "new" && formsIn(stage.listOf(key)).length) : []);

// Buttons show as many words as there is room for; their accessible names have all of them.
function name(which, words, short, hidden) {
  const narrow = sheet.matches || panel.offsetWidth < 680;
  button(which).hidden = hidden;
  button(which).setAttribute("aria-label", words);
  button(which).querySelector("span").textContent = narrow ? short : words.replace(/ (of|for)…$/, "");
}

function open() {
  const places = stage.targets(), none = !places.length || chosen[1] - chosen[0] > MOST;
  const one = places.length === 1, proofs = stage.evidenceOnly ? places : supported();
  name("answer", one ? "Use as answer" : "Use as answer of…", "Answer", none || stage.evidenceOnly);
  name("evidence", one ? "Use as evidence" : "Use as evidence for…", "Evidence", none || !proofs.length);
  name("alias", last === "single" ? "Add alias" : `Alias of ${stage.one} ${last}`, "Alias", button("answer").hidden || !places.some(({ key }) => key === last));
  name("search", "Search for this", "Search", false);
  id("selection-help").hidden = !keyed;
  id("selection-note").hidden = true;
  choices.hidden = true;
  if (!bar.matches(":popover-open")) bar.showPopover();
  place();
}

function close() {
  chosen = null;
  keyed = false;
  if (bar.matches(":popover-open")) bar.hidePopover();
}

function place() {
  if (!chosen || !text()) return;
  const rects = text().range(chosen).getClientRects(), frame = panel.getBoundingClientRect();
  const first = rects[0], end = rects[rects.length - 1];
  if (!end) return;
  const below = end.bottom + 6, fits = below + bar.offsetHeight < innerHeight - 8;
  const top = fits ? below : Math.max(8, first.top - bar.offsetHeight - 6);
  const right = Math.min(innerWidth, frame.right) - bar.offsetWidth - 8;
  bar.style.top = sheet.matches ? "" : `${top}px`;
  bar.style.left = sheet.matches ? "" : `${Math.max(8, Math.min(Math.max(end.left, frame.left + 8), right))}px`;
  bar.dataset.away = !sheet.matches && (end.bottom < frame.top || first.top > frame.bottom);
}

// Ask which answer they are for, if there are several; `act` is called with it.
function offer(act) {
  const places = act === use ? stage.targets() : supported();
  if (!chosen) return;
  if (!places.length) {
    const note = id("selection-note");
    note.hidden = false;
    note.textContent = act === use ? "There is no answer here that could take these words." : "There is no answer yet that these words could support.";
    announce(note.textContent);
    return;
  }
  if (places.length === 1) { act(places[0].key); return; }
  then = act;
  choices.setAttribute("aria-label", act === use && !stage.evidenceOnly ? "Use as answer of" : "Use as evidence for");
  choices.replaceChildren(...places.map(({ key, label }, at) => {
    const one = document.createElement("button");
    Object.assign(one, { type: "button", textContent: label.replace(/^Answer of (a )?./, (start) => start.at(-1).toUpperCase()) });
    one.dataset.target = key;
    if (at > 8) return one;
    const digit = Object.assign(document.createElement("kbd"), { textContent: at + 1, ariaHidden: "true" });
    one.setAttribute("aria-keyshortcuts", String(at + 1));
    one.append(" ", digit);
    return one;
  }));
  choices.hidden = false;
  place();
  // The next pair is the likely one.
  choices.children[places.findIndex((one) => one.key === last) + 1]?.focus();
}

// The data that the server needs to find a place again.
function placed([start, end]) {
  const all = text().text;
  return { path: path(), start: theirs(text(), start), exact: line(all.slice(start, end)), prefix: all.slice(Math.max(0, start - 64), start), suffix: all.slice(end, end + 64) };
}

// Keep words as a quote: {quote} once kept, or {problem}, which may pass (`later`).
async function keep(fields) {
  try {
    const response = await post("quotes/", new URLSearchParams(fields));
    if (response.status === 204) return { problem: "These words are on none of the pages that you opened." };
    const reply = await response.json();
    return response.ok ? { quote: reply } : { problem: reply.detail, later: response.status === 401 };
  } catch {
    return { problem: "There is no connection.", later: true };
  }
}

// Words that were used while the server was out of reach. Once it can be reached again, their place
// is stored if they still are an answer.
const waiting = [];

async function again() {
  for (const { list, form, fields } of waiting.splice(0)) {
    if (!list.isConnected || !formsIn(list).some((one) => one.text === form && !one.quote)) continue;
    const key = list.closest("[data-pair]")?.dataset.pair ?? "single";
    const { quote, later } = await keep({ ...fields, target: key });
    if (later) waiting.push({ list, form, fields });
    if (!quote) continue;
    stage.addForm(key, form, quote);
    addQuote(quote);
  }
}
addEventListener("online", again);
document.addEventListener("ambit:saved", again);

async function use(key) {
  const [start, end] = chosen, words = text().text.slice(start, end);
  const short = !stage.evidenceOnly && sentences().some((one) => one[1] === end) ? unstopped(words) : words;
  const fields = placed([start, start + short.length]);
  getSelection().removeAllRanges();
  close();
  panel.focus({ preventScroll: true });
  fields.made_by = "selection";
  const { quote = null, problem, later } = await keep({ ...fields, target: key }), form = line(quote?.exact ?? fields.exact);
  stage.addForm(key, form, quote);
  last = key === "new" ? String(stage.targets().length - 1) : key;
  if (quote) return addQuote(quote);
  const list = later && stage.listOf?.(last);
  if (list) waiting.push({ list, form, fields });
  tell(`“${form.length > 60 ? `${form.slice(0, 59)}…` : form}” was added without its place in the article. ${problem} ${list ? "The place is kept once you are connected again." : "To keep the place as well, select the words again later."}`);
}

// The words support an answer: its first form without a quote gets them, else its first form.
async function prove(key) {
  const list = stage.listOf(key);
  const forms = formsIn(list), bare = forms.find((form) => !form.quote) ?? forms[0], fields = placed(chosen);
  getSelection().removeAllRanges();
  close();
  panel.focus({ preventScroll: true });
  const { quote, problem } = await keep({ ...fields, target: key, made_by: "selection" });
  if (!quote) return tell(`Not kept as evidence. ${problem}`);
  const box = list.querySelector(":scope > li:last-child > input");
  if (box.value.trim() === bare.text) box.value = "";
  stage.addForm(key, bare.text, quote);
  addQuote(quote);
  announce(`Kept as evidence for “${bare.text}”.`);
}

const ACTIONS = {
  answer: () => offer(use),
  evidence: () => offer(stage.evidenceOnly ? use : prove),
  alias: () => use(last),
  close() { getSelection().removeAllRanges(); close(); panel.focus({ preventScroll: true }); },
  search() {
    const words = placed(chosen).exact;
    close();
    searchFor(words.slice(0, 500));
    if (words.length > 500) tell("A search has at most 500 characters: the first 500 were searched for.");
  },
};

bar.addEventListener("pointerdown", (event) => event.preventDefault()); // the selection stays
bar.addEventListener("click", (event) => {
  const { target, do: action } = event.target.closest("button")?.dataset ?? {};
  if (target) then(target);
  else if (action) ACTIONS[action]();
});
bar.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key], all = [...bar.querySelectorAll("button")].filter((one) => one.checkVisibility());
  if (event.key === "Escape" && choices.hidden) ACTIONS.close();
  else if (event.key === "Escape") { choices.hidden = true; button(then === use && !stage.evidenceOnly ? "answer" : "evidence").focus(); }
  else if (/^[1-9]$/.test(event.key) && !choices.hidden) choices.querySelector(`[aria-keyshortcuts="${event.key}"]`)?.click();
  else if (step) all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
  else return;
  event.preventDefault();
});

// --- by mouse and touch --------------------------------------------------------------------

function follow() {
  if (pressed || keyed || bar.contains(document.activeElement)) return;
  chosen = selected();
  if (chosen) open(); else close();
}

document.addEventListener("pointerdown", (event) => {
  if (bar.contains(event.target)) return;
  pressed = event.pointerType === "mouse";
  keyed = false;
});
document.addEventListener("pointerup", () => { pressed = false; setTimeout(follow); });
document.addEventListener("selectionchange", () => {
  clearTimeout(settling);
  settling = setTimeout(follow, 250);
});
for (const box of [panel, document]) box.addEventListener("scroll", place, { passive: true });
addEventListener("resize", place);

// --- copied and pasted ---------------------------------------------------------------------

document.addEventListener("copy", () => { copied = selected() && placed(selected()); });
document.addEventListener("paste", async (event) => {
  const list = event.target.closest?.(".chips"), into = event.target.matches && stage.pasteInto?.(event.target);
  if (!(list || into) || event.target.value.trim()) return;
  const words = line(event.clipboardData?.getData("text/plain") ?? "");
  if (!words || words.length > MOST) return;
  const key = into || (list.dataset.forms === "single" ? "single" : (list.closest("[data-pair]")?.dataset.pair ?? stage.keyOf(list)));
  const fields = copied?.exact === words ? copied : { path: "", exact: words };
  const { quote } = await keep({ ...fields, target: key, made_by: "paste" });
  if (!quote) return;
  addQuote(quote);
  stage.addForm(key, words, quote);
  announce(`Found in ${quote.where}.`);
});

// --- by keyboard ---------------------------------------------------------------------------

const parts = (words, granularity) => [...new Intl.Segmenter(id("article").lang, { granularity }).segment(words)];
const known = new WeakMap();

// Sentences of the whole article, as [start, end] without white space around.
function sentences() {
  const all = text();
  if (!known.has(all)) {
    known.set(all, parts(all.text, "sentence").filter(({ segment }) => segment.trim()).map(({ segment, index }) => {
      const start = index + segment.length - segment.trimStart().length;
      return [start, start + segment.trim().length];
    }));
  }
  return known.get(all);
}

function byStep(step) {
  const all = sentences(), from = chosen ?? selected() ?? current();
  const top = panel.getBoundingClientRect().top + 56;
  // Without a place to start from, take the first sentence in sight.
  const at = Math.max(0, all.findIndex((one) => (from ? one[1] > from[0] : text().range(one).getBoundingClientRect().top >= top)));
  const whole = from && all[at].join() === from.join();
  select(all[Math.max(0, Math.min(all.length - 1, whole || chosen ? at + step : at))], "end");
}

// The words of the article between two places, as [start, end].
const words = (from, to) => parts(text().text.slice(Math.max(0, from), to), "word").filter((part) => part.isWordLike)
  .map(({ index, segment }) => [Math.max(0, from) + index, Math.max(0, from) + index + segment.length]);

// From several words select the first or last, from one word the next.
function byWord(step) {
  const [start, end] = chosen, within = words(start, end), near = words(start - 400, end + 400);
  const next = within.length > 1 ? within.at(step > 0 ? -1 : 0) : step > 0 ? near.find((one) => one[0] >= end) : near.findLast((one) => one[1] <= start);
  if (next) select(next);
}

// Select a word more or less, at the end that is moving.
function extend(step) {
  const [start, end] = chosen, near = words(start - 400, end + 400), edge = moving ?? (step > 0 ? "end" : "start");
  const edges = near.map((one) => one[edge === "end" ? 1 : 0]), from = edge === "end" ? end : start;
  const to = (step > 0 ? edges.find((one) => one > from) : edges.findLast((one) => one < from)) ?? from;
  const now = edge === "end" ? [start, to] : [to, end];
  if (now[0] < now[1]) select(now, edge);
}

document.addEventListener("keydown", (event) => {
  if (!text() || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const here = event.target === document.body || (panel.contains(event.target) && !event.target.matches("input, a, button, summary"));
  const arrow = here && keyed && chosen && /^Arrow(Up|Down|Left|Right)$/.exec(event.key)?.[1];
  const does = shortcut(event), step = arrow === "Up" || arrow === "Left" || does === "previous" ? -1 : 1;
  if (event.key === "Escape" && chosen) ACTIONS.close();
  else if (arrow === "Up" || arrow === "Down") byStep(step);
  else if (arrow && event.shiftKey) extend(step);
  else if (arrow) byWord(step);
  else if (here && event.key === "Enter" && (keyed ? chosen : current() && !chosen)) byStep(0);
  else if (does === "next" || does === "previous") byStep(step);
  else if (!chosen) return;
  else if (does === "evidence") ACTIONS.evidence();
  else if (does === "answer") offer(use);
  else if (does === "alias") { if (button("alias").hidden) offer(use); else use(last); }
  else return;
  event.preventDefault();
});

// On leaving Find, select the match.
document.addEventListener("ambit:found", () => current() && select(current()));

follow();
bar.dataset.ready = "";
