// The shape of the answer form: pairs are added, deleted (with undo), moved; the kind is switched.
// Other modules call it. Names count from 0, ids and texts from 1.
import { announce } from "../../shared/announce.js";
import { addChip, formsIn, ids } from "../sheets/chips.js";
import { show } from "../../shared/panels.js";
import { form, stage } from "../sheets/stage.js";
import { toast } from "../../shared/toast.js";

const list = document.getElementById("pairs");
const NUMBERED = ["id", "for", "aria-describedby", "aria-labelledby", "data-for", "data-fix"];
let shapes = 0;

// How often pairs were added, deleted or moved: a reply to an older shape must not be put into a newer one.
const shape = () => shapes;
export const kind = () => form.elements.kind.value;
export const pairs = () => [...list.children];
export const changed = () => form.dispatchEvent(new CustomEvent("ambit:changed"));

function setNumber(pair, number) {
  pair.dataset.pair = number;
  for (const node of [pair, ...pair.querySelectorAll("*")]) {
    for (const name of NUMBERED) {
      const value = node.getAttribute(name);
      if (value) node.setAttribute(name, value.replace(/\b(pair|question|answer|diff|evidence|origin|original)-\d+/g, `$1-${number}`));
    }
    if (node.name === "keep-field") node.value = node.value.replace(/\d+/, number);
    if (node.name) node.name = node.name.replace(/^pair-\d+-/, `pair-${number - 1}-`);
    if (node.dataset.forms) node.dataset.forms = `pair-${number - 1}`;
    const label = node.getAttribute("aria-label");
    if (label) node.setAttribute("aria-label", label.replace(/\b(pair) \d+/i, `$1 ${number}`));
    if ("number" in node.dataset) node.textContent = number;
  }
}

export function renumber() {
  const all = pairs();
  const moved = new Map(all.map((pair, at) => [pair.dataset.pair, at + 1]));
  all.forEach((pair, at) => {
    setNumber(pair, at + 1);
    pair.querySelector("[value^=move-up]").hidden = at === 0;
    pair.querySelector("[value^=move-down]").hidden = at === all.length - 1;
  });
  for (const keep of document.querySelectorAll("#keeps [name=keep-field]")) {
    const [, field, number] = keep.value.match(/^(question|answer)-(\d+)$/) ?? [];
    if (field && moved.has(number)) keep.value = `${field}-${moved.get(number)}`;
  }
  const badge = document.getElementById("pairs-badge");
  if (badge?.firstChild) badge.firstChild.textContent = all.length;
  shapes += 1;
}

export function addPair() {
  const pair = document.getElementById("pair-template").content.firstElementChild.cloneNode(true);
  list.append(pair);
  pair.dataset.pair = "";
  renumber();
  return pair;
}

export const questionOf = (pair) => pair.querySelector("textarea");

function deletePair(pair) {
  const at = pairs().indexOf(pair), number = at + 1;
  pair.remove();
  pair.dataset.pair = "";
  renumber();
  const next = pairs()[at];
  (next?.querySelector("[value^=delete-pair]") ?? document.getElementById("add-pair")).focus();
  toast(`Pair ${number} deleted.`, "Undo", () => {
    list.insertBefore(pair, pairs()[at] ?? null);
    renumber();
    questionOf(pair).focus();
    announce(`Pair ${number} is back.`);
    changed();
  });
  changed();
}

function movePair(pair, step) {
  const at = pairs().indexOf(pair), number = at + 1 + step;
  if (step < 0) pair.previousElementSibling.before(pair);
  else pair.nextElementSibling.after(pair);
  renumber();
  const button = (way) => pair.querySelector(`[value^=move-${way}]:not([hidden])`);
  (step < 0 ? button("up") ?? button("down") : button("down") ?? button("up")).focus();
  announce(`This is now pair ${number}.`);
  changed();
}

export function choose(value) {
  form.elements.kind.value = value;
  switched();
}

function switched() {
  const single = form.querySelector("[data-forms=single]");
  if (kind() === "single") {
    const known = new Set(formsIn(single).map(({ text }) => text.toLowerCase()));
    for (const { text, quote } of pairs().flatMap((pair) => formsIn(pair.querySelector(".chips")))) {
      if (!known.has(text.toLowerCase())) addChip(single, text, quote);
      known.add(text.toLowerCase());
    }
  }
  if (kind() === "multiple" && !pairs().length) { addPair(); addPair(); }
  for (const part of form.querySelectorAll("[data-kind]")) part.hidden = part.dataset.kind !== kind();
  changed();
}

// --- for the reading side -----------------------------------------------------------------

// The places for an answer selected in the article.
function targets() {
  if (document.querySelector(".bar[inert]")) return [];
  if (kind() === "single") return [{ key: "single", label: "Answer" }];
  if (kind() === "none") return [];
  return [
    ...pairs().map((_, at) => ({ key: String(at + 1), label: `Answer of pair ${at + 1}` })),
    { key: "new", label: "Answer of a new pair" },
  ];
}

// Add a form of an answer, with the quote it comes from: {id, exact, where, url} or null.
function addForm(key, text, quote) {
  if (key === "single" && kind() !== "single") choose("single");
  const pair = key === "new" ? addPair() : pairs()[Number(key) - 1];
  const box = key === "single" ? form.querySelector("[data-forms=single]") : pair?.querySelector(".chips");
  if (!box) return false;
  if (key === "new") {
    // A pair without a question is not ready, even before the server says so.
    document.getElementById("todo").textContent = "1 to do";
    pair.scrollIntoView({ block: "nearest" });
  }
  addChip(box, text, quote?.id ?? "");
  if (quote) showEvidence(box, quote);
  if (key === "new") pair.scrollIntoView({ block: "nearest" });
  announce(`“${text}” added${key === "single" ? "" : ` to pair ${pair.dataset.pair}`}.`);
  changed();
  return true;
}

function showEvidence(box, quote) {
  const place = box.closest(".pair").querySelector("[data-evidence]");
  if (place.querySelector(`[data-quote="${quote.id}"]`)) return;
  const line = document.getElementById("evidence-template").content.firstElementChild.cloneNode(true);
  line.dataset.quote = quote.id;
  line.querySelector("q").textContent = quote.exact;
  line.querySelector("[data-where]").textContent = quote.where;
  line.querySelector("button").setAttribute("aria-label", `Remove the quote ${quote.exact.slice(0, 60)}`);
  const link = line.querySelector("a");
  if (quote.url) link.href = quote.url; else link.remove();
  place.append(line);
}

// Take a quote off every form of its answer.
function removeQuote(line) {
  const id = line.dataset.quote, pair = line.closest(".pair"), box = pair.querySelector(".chips");
  const fields = [...box.querySelectorAll("[name$=-quote]")].filter((field) => field.value.split(" ").includes(id));
  const before = fields.map((field) => field.value), next = line.nextElementSibling ?? line.previousElementSibling;
  for (const field of fields) field.value = field.value.split(" ").filter((each) => each !== id).join(" ");
  line.remove();
  (next?.querySelector("button") ?? box.querySelector(":scope > li:last-child > input")).focus();
  toast("Quote removed.", "Undo", () => {
    fields.forEach((field, at) => { field.value = ids(before[at], field.value); });
    const place = pair.querySelector("[data-evidence]");
    if (!place.querySelector(`[data-quote="${id}"]`)) place.append(line);
    line.querySelector("button").focus();
    announce("The quote is back.");
    changed();
  });
  changed();
}

// --- for text that was kept on this device ----------------------------------------------

function fill(saved) {
  const all = (name) => saved.filter(([each]) => each === name).map(([, value]) => value);
  const count = Math.max(0, ...saved.map(([name]) => Number(name.match(/^pair-(\d+)-question$/)?.[1] ?? -1) + 1));
  list.replaceChildren();
  for (let at = 0; at < count; at += 1) {
    const pair = addPair();
    questionOf(pair).value = all(`pair-${at}-question`)[0] ?? "";
    questionOf(pair).dataset.touched = "";
    const [origin] = all(`pair-${at}-suggestion`);
    if (origin) pair.append(Object.assign(document.createElement("input"), { type: "hidden", name: `pair-${at}-suggestion`, value: origin }));
    fillForms(pair.querySelector(".chips"), all(`pair-${at}-answer`), all(`pair-${at}-quote`));
  }
  const single = form.querySelector("[data-forms=single]");
  single.querySelectorAll(".chip").forEach((chip) => chip.remove());
  fillForms(single, all("single-answer"), all("single-quote"));
  for (const name of ["none_reason", "feedback"]) form.elements[name].value = all(name)[0] ?? "";
  if (form.elements.no_conflict) form.elements.no_conflict.checked = all("no_conflict").length > 0;
  const rules = all("keep-rule"), fields = all("keep-field"), reasons = all("keep-reason");
  document.getElementById("keeps").replaceChildren(...rules.flatMap((rule, at) => [["rule", rule], ["field", fields[at]], ["reason", reasons[at]]]
    .map(([name, value]) => Object.assign(document.createElement("input"), { type: "hidden", name: `keep-${name}`, value }))));
  form.elements.kind.value = all("kind")[0] ?? "multiple";
  for (const part of form.querySelectorAll("[data-kind]")) part.hidden = part.dataset.kind !== kind();
  changed();
}

function fillForms(box, texts, quotes) {
  texts.forEach((text, at) => text.trim() && addChip(box, text, quotes[at] ?? ""));
}

// A reply to an older shape has other numbers; one to older text does not have quotes added
// since, so their lines stay.
const fits = (part, sameShape, sameText) => (sameShape || !(part.dataset.pair || /-\d+(-count)?$/.test(part.id))) && (sameText || !part.id.startsWith("evidence-"));

const listOf = (key) => document.querySelector(key === "single" ? "[data-forms=single]" : `#pairs > [data-pair="${key}"] .chips`);

function took(pair) {
  pair.dataset.pair = "";
  renumber();
  return `This is now pair ${pair.dataset.pair}.`;
}

Object.assign(stage, { fill, shape, fits, targets, listOf, addForm, took });

// --- what people press --------------------------------------------------------------------

const ACTIONS = {
  "add-pair": () => { const pair = addPair(); questionOf(pair).focus(); announce(`Pair ${pair.dataset.pair} added.`); changed(); },
  "delete-pair": deletePair,
  "move-up": (pair) => movePair(pair, -1),
  "move-down": (pair) => movePair(pair, 1),
  "remove-quote": (pair, button) => removeQuote(button.closest("[data-quote]")),
  start(pair) {
    const box = questionOf(pair);
    box.value = form.dataset.prompt;
    box.focus();
    box.dispatchEvent(new Event("input", { bubbles: true }));
  },
};

form?.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=action]");
  const act = button && ACTIONS[button.value.split(" ")[0]];
  if (!act) return;
  event.preventDefault();
  act(button.closest("[data-pair]"), button);
});

form?.addEventListener("change", (event) => { if (event.target.name === "kind") switched(); });

form?.addEventListener("input", (event) => {
  const start = event.target.closest(".pair")?.querySelector(".start");
  if (start && event.target.matches("textarea")) start.hidden = event.target.value.trim() !== "";
});

// A question is one line: Enter goes on to its answer.
form?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing) return;
  if (event.target.matches(".pair textarea[name$=-question]")) {
    event.preventDefault();
    event.target.closest(".pair").querySelector(".chips > li:last-child > input").focus();
  }
});

// A link in the checklist or summary can lead to a part that another kind hides, or to a panel.
document.addEventListener("click", (event) => {
  if (event.target.closest("a[href='#checks-title']")) show("checks");
});
