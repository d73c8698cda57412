// The pieces of knowledge: added, deleted (with undo), filled from words selected or pasted.
// Names count from 0, ids and words from 1. Everything else asks through the stage.
import { announce } from "../../shared/announce.js";
import { ids } from "../sheets/chips.js";
import { form, stage } from "../sheets/stage.js";
import { tell, toast } from "../../shared/toast.js";

const list = document.getElementById("pieces"), add = document.getElementById("add-piece");
const NUMBERED = ["id", "for", "aria-describedby", "aria-labelledby", "data-for"];
const pieces = () => [...list.children];
const contentOf = (piece) => piece.querySelector("textarea");
const pageOf = (piece) => piece.querySelector("[name$=-page]");
const evidenceOf = (piece) => piece.querySelector("[data-evidence]");
const blank = (piece) => !contentOf(piece).value.trim() && !pageOf(piece).value.trim();
const changed = () => form.dispatchEvent(new CustomEvent("ambit:changed"));
const line = (words) => words.replace(/\s+/g, " ").trim();
let shapes = 0;

function setNumber(piece, number) {
  for (const node of [piece, ...piece.querySelectorAll("*")]) {
    for (const name of NUMBERED) {
      const value = node.getAttribute(name);
      if (value) node.setAttribute(name, value.replace(/\b(piece|page|title|evidence|origin|original)-\d+/g, `$1-${number}`));
    }
    if (node.name === "keep-field") node.value = `piece-${number}`;
    else if (node.name) node.name = node.name.replace(/^piece-\d+-/, `piece-${number - 1}-`);
    if (node.value?.startsWith?.("delete-piece ")) { node.value = `delete-piece ${number - 1}`; node.setAttribute("aria-label", `Delete piece ${number}`); }
    if ("number" in node.dataset) node.textContent = number;
  }
  piece.dataset.piece = number;
}

function renumber() {
  const moved = new Map(pieces().map((piece, at) => [piece.dataset.piece, at + 1]));
  pieces().forEach((piece, at) => setNumber(piece, at + 1));
  for (const keep of document.querySelectorAll("#keeps [name=keep-field]")) {
    const number = keep.value.match(/^piece-(\d+)$/)?.[1];
    if (moved.has(number)) keep.value = `piece-${moved.get(number)}`;
  }
  shapes += 1;
}

function took(piece) {
  piece.dataset.piece = "";
  renumber();
  return `This is now piece ${piece.dataset.piece}.`;
}

function addPiece() {
  const piece = document.getElementById("piece-template").content.firstElementChild.cloneNode(true);
  piece.dataset.piece = "";
  list.append(piece);
  renumber();
  return piece;
}

function deletePiece(piece) {
  const at = pieces().indexOf(piece), number = at + 1;
  piece.remove();
  renumber();
  (pieces()[at]?.querySelector("[value^=delete-piece]") ?? add).focus();
  changed();
  toast(`Piece ${number} deleted.`, "Undo", () => {
    list.insertBefore(piece, pieces()[at] ?? null);
    piece.dataset.piece = "";
    renumber();
    contentOf(piece).focus();
    announce(`Piece ${number} is back.`);
    changed();
  });
}

form.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=action]");
  if (button === add) {
    event.preventDefault();
    const piece = addPiece();
    contentOf(piece).focus();
    announce(`Piece ${piece.dataset.piece} added.`);
    changed();
  } else if (button?.value.startsWith("delete-piece")) {
    event.preventDefault();
    deletePiece(button.closest("[data-piece]"));
  } else if (button?.value.startsWith("remove-quote")) {
    event.preventDefault();
    removeQuote(button.closest("[data-quote]"));
  }
});

// --- where words were found ----------------------------------------------------------------------

const make = (name, fields) => Object.assign(document.createElement(name), fields);

function prove(piece, quote) {
  const place = evidenceOf(piece), [field] = place.children, shown = make("p", { className: "hint" });
  if (ids(field.value, quote.id) === field.value) return;
  field.value = ids(field.value, quote.id);
  shown.dataset.quote = quote.id;
  shown.dataset.exact = quote.exact;
  const remove = make("button", { type: "submit", name: "action", value: "remove-quote", className: "button quiet small square", textContent: "×" });
  remove.setAttribute("aria-label", `Remove the quote ${quote.exact.slice(0, 60)}`);
  shown.append("Found in ", make("span", { textContent: quote.where }), " · ", make("a", { href: quote.url, textContent: "Show" }), " ", remove);
  place.append(shown);
}

// Take a quote off; return its values, for undo.
function drop(shown) {
  const field = shown.parentElement.firstElementChild, before = field.value;
  field.value = before.split(" ").filter((id) => id !== shown.dataset.quote).join(" ");
  shown.remove();
  return before;
}

function removeQuote(shown) {
  const piece = shown.closest("[data-piece]"), before = drop(shown);
  (evidenceOf(piece).querySelector("button") ?? pageOf(piece)).focus();
  changed();
  import("../../shared/toast.js").then(({ toast }) => toast("Quote removed.", "Undo", () => {
    const [field] = evidenceOf(piece).children;
    field.value = ids(before, field.value);
    if (!evidenceOf(piece).querySelector(`[data-quote="${shown.dataset.quote}"]`)) evidenceOf(piece).append(shown);
    shown.querySelector("button").focus();
    announce("The quote is back.");
    changed();
  })).catch(() => {});
}

// Changed or deleted words are no longer the quoted ones.
form.addEventListener("change", ({ target }) => {
  const piece = target.closest("[data-piece]");
  if (!piece || target !== contentOf(piece)) return;
  const now = line(target.value), gone = [...evidenceOf(piece).querySelectorAll("[data-quote]")].filter(({ dataset }) => {
    const was = line(dataset.exact);
    return !now || !(now.includes(was) || was.includes(now));
  });
  if (!gone.length) return;
  gone.forEach(drop);
  tell("You changed the quoted words, so they are no longer tied to their place in the article.");
  changed();
});

// --- for the reading side ------------------------------------------------------------------------

function targets() {
  if (document.querySelector(".bar[inert]")) return [];
  const written = pieces().filter((piece) => !blank(piece));
  return [...written.map(({ dataset }) => ({ key: dataset.piece, label: `Piece ${dataset.piece}` })), { key: "new", label: "A new piece" }];
}

// Add sentences with the quote they come from, {id, exact, title, where, url}, or null.
function addForm(key, text, quote) {
  let piece = key === "new" ? null : pieces()[Number(key) - 1];
  if (piece && quote && pageOf(piece).value.trim() && pageOf(piece).value.trim() !== quote.title) piece = null;
  piece ??= pieces().find(blank) ?? addPiece();
  const content = contentOf(piece), before = line(content.value);
  if (!before.includes(line(text))) content.value = before ? `${content.value.trimEnd()}\n${text}` : text;
  if (quote) {
    pageOf(piece).value ||= quote.title;
    prove(piece, quote);
  } else pageOf(piece).value ||= document.getElementById("article")?.dataset.title ?? "";
  content.dataset.touched = pageOf(piece).dataset.touched = "";
  announce(`Added to piece ${piece.dataset.piece} as evidence.`);
  changed();
  return true;
}

// --- for text that was kept on this device -------------------------------------------------------

function fill(saved) {
  const all = (name) => saved.filter(([each]) => each === name).map(([, value]) => value);
  const hidden = (name, value) => Object.assign(document.createElement("input"), { type: "hidden", name, value });
  for (const name of ["long_answer", "feedback"]) form.elements[name].value = all(name)[0] ?? "";
  if (form.elements.suggestion) form.elements.suggestion.value = all("suggestion")[0] ?? "";
  const count = Math.max(0, ...saved.map(([name]) => Number(name.match(/^piece-(\d+)-content$/)?.[1] ?? -1) + 1));
  list.replaceChildren();
  for (let at = 0; at < count; at += 1) {
    const piece = addPiece();
    contentOf(piece).value = all(`piece-${at}-content`)[0] ?? "";
    pageOf(piece).value = all(`piece-${at}-page`)[0] ?? "";
    evidenceOf(piece).firstElementChild.value = all(`piece-${at}-quote`)[0] ?? "";
    if (contentOf(piece).value) contentOf(piece).dataset.touched = "";
    const [origin] = all(`piece-${at}-suggestion`);
    if (origin) piece.append(hidden(`piece-${at}-suggestion`, origin));
  }
  document.getElementById("said").replaceChildren(...saved.filter(([name]) => name.startsWith("said-")).map(([name, value]) => hidden(name, value)));
  const rules = all("keep-rule"), fields = all("keep-field"), reasons = all("keep-reason");
  document.getElementById("keeps").replaceChildren(...rules.flatMap((rule, at) => [hidden("keep-rule", rule), hidden("keep-field", fields[at]), hidden("keep-reason", reasons[at])]));
  form.elements.long_answer.dispatchEvent(new Event("input", { bubbles: true }));
}

// A reply to an older shape has other numbers; one to older text does not have later additions.
const fits = (part, sameShape, sameText) => (sameShape || !/^(evidence|messages-piece)-\d+$/.test(part.id)) && (sameText || !/^(evidence-\d+|said|keeps)$/.test(part.id));

Object.assign(stage, {
  fill,
  fits,
  targets,
  addForm,
  took,
  entries: () => [...new FormData(form)].filter(([name]) => !/^(csrfmiddlewaretoken|version|action|words-\d+)$/.test(name)),
  evidenceOnly: true,
  one: "piece",
  shape: () => shapes,
  pasteInto: (field) => (field.matches("[data-piece] textarea") ? field.closest("[data-piece]").dataset.piece : ""),
});
