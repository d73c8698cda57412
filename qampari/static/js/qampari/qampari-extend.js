// The extended set: Enter adds an answer, Delete removes one, and what was removed can be put back.
// Everything happens on the page at once; the server gets it with the next save. Without this, the
// buttons do the same.
import { announce } from "../shared/announce.js";
import { form, stage } from "../annotation/sheets/stage.js";
import { icon, tell } from "../shared/toast.js";
import "../annotation/reading/reading.js";

if (document.getElementById("suggestions")) import("../annotation/suggestions/suggestions.js").catch(() => {});

const id = (name) => document.getElementById(name);
const list = id("added"), gone = id("removed"), field = id("new"), source = id("source"), undo = id("undo");
const rows = (of = list) => [...of.children];
const textOf = (row) => row.querySelector("[data-text]").value;
const pageOf = (row) => row.querySelector("[data-page]").value;
// The suggestion that an answer began as, "" for one's own.
const beganAs = (row) => row.querySelector("[data-began]")?.value ?? "";
const line = (text) => text.replace(/\s+/gu, " ").trim();
const changed = () => form.dispatchEvent(new CustomEvent("ambit:changed"));
const MOST = 300, UNDONE = 20;
// How often rows came or went: messages about older rows are not put in.
let shapes = 0;
// The page that was put into the field from the reader; another text there was typed.
let offered = "";

// --- the same answer ------------------------------------------------------------------------------

// As metrics/text.py has it. The server decides; this only says it without waiting.
export function keyOf(text) {
  const bare = text.toLowerCase().replace(/[!-/:-@[-`{-~]/g, "");
  const key = bare.replace(/(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu, " ");
  return line(key) || line(text.toLowerCase());
}

function sameAs(text) {
  const key = keyOf(text), known = JSON.parse(list.dataset.known);
  if (Object.hasOwn(known, key)) return known[key];
  const row = rows().find((one) => keyOf(textOf(one)) === key);
  return row ? textOf(row) : "";
}

// --- rows -----------------------------------------------------------------------------------------

function numbered() {
  for (const [name, of] of [["added", list], ["removed", gone]]) {
    rows(of).forEach((row, at) => {
      row.querySelector("[data-text]").name = `${name}-${at}-text`;
      row.querySelector("[data-page]").name = `${name}-${at}-page`;
      if (beganAs(row)) row.querySelector("[data-began]").name = `${name}-${at}-suggestion`;
      const button = row.querySelector("button");
      if (button) Object.assign(button, { value: `remove ${at}` });
    });
  }
  id("added-count").textContent = list.children.length;
  const last = gone.firstElementChild;
  undo.hidden = !last;
  undo.querySelector("span").textContent = last ? `Put back “${textOf(last)}”` : "Put back";
  shapes += 1;
}

function made(text, page, began = "") {
  const blank = (began && id("suggested-row")) || id("added-row");
  const row = blank.content.firstElementChild.cloneNode(true);
  row.querySelector("[data-text]").value = text;
  row.querySelector("[data-page]").value = page;
  if (blank.id === "suggested-row") {
    row.querySelector("[data-began]").value = began;
    row.id = `suggested-${began}`;
    row.querySelector("[id^=origin-]").id = `origin-${began}`;
    row.querySelector("[data-text]").id = `suggested-text-${began}`;
  } else {
    row.querySelector("[data-said]").textContent = text;
    row.querySelector("[data-from]").textContent = page || "no page";
  }
  row.querySelector("button").setAttribute("aria-label", `Remove ${text}`);
  return row;
}

function said(sentence) {
  const words = Object.assign(document.createElement("span"), { textContent: sentence });
  const note = Object.assign(document.createElement("p"), { className: "message error", id: "new-said" });
  note.append(icon("error"), words);
  id("messages-new").replaceChildren(note);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", "new-said");
  field.dataset.touched = ""; // so that the reply to the next save says it, too
}

function quiet() {
  delete field.dataset.touched;
  if (!id("messages-new").firstElementChild) return;
  id("messages-new").replaceChildren();
  field.removeAttribute("aria-invalid");
  field.removeAttribute("aria-describedby");
}

// Put an answer on the list; returns why it is not put there.
function put(text, page) {
  const same = sameAs(text);
  if (same) return `There is “${same}” already, which is the same answer.`;
  if (list.children.length >= MOST) return `There are ${MOST} answers, which is the maximum.`;
  list.prepend(made(text, page));
  numbered();
  announce(`“${text}” added. ${list.children.length} in all.`);
  changed();
  return "";
}

function add() {
  const text = line(field.value), problem = text && put(text, line(source.value));
  field.focus();
  if (problem) {
    said(problem);
    announce(problem);
    field.select();
  } else if (text) {
    field.value = "";
    quiet();
  }
}

function remove(row) {
  const at = rows().indexOf(row), text = textOf(row), held = row.contains(document.activeElement);
  if (at < 0) return;
  row.remove();
  const was = made(text, pageOf(row), beganAs(row));
  was.querySelector("button").remove();
  was.dataset.at = at;
  gone.prepend(was);
  while (gone.children.length > UNDONE) gone.lastElementChild.remove();
  numbered();
  // The one that took its place, else the one before, else the field.
  const next = rows()[at] ?? rows()[at - 1];
  if (held) (next?.querySelector("button") ?? field).focus();
  announce(`“${text}” removed.`);
  changed();
}

function putBack() {
  const was = gone.firstElementChild;
  if (!was || list.children.length >= MOST) return;
  const row = made(textOf(was), pageOf(was), beganAs(was));
  was.remove();
  list.insertBefore(row, rows()[Number(was.dataset.at ?? 0)] ?? null);
  numbered();
  row.querySelector("button").focus();
  announce(`“${textOf(row)}” is back.`);
  changed();
}

// --- keys and presses -----------------------------------------------------------------------------

const plain = (event) => !(event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.keyCode === 229);

form.addEventListener("keydown", (event) => {
  const { key, target } = event, row = target.closest("#added > li");
  if (!plain(event)) return;
  if ((target === field || target === source) && key === "Enter") {
    event.preventDefault();
    // Holding the key down adds nothing twice.
    if (!event.repeat) add();
  } else if (target === field && key === "ArrowDown" && list.children.length) {
    event.preventDefault();
    list.querySelector("button").focus();
  } else if (row && target.matches("input")) {
    // An answer that began as a suggestion is typed in where it stands.
    if (key === "Enter") { event.preventDefault(); field.focus(); }
  } else if (row && (key === "Delete" || key === "Backspace")) {
    event.preventDefault();
    remove(row);
  } else if (row && (key === "ArrowDown" || key === "ArrowUp")) {
    event.preventDefault();
    const next = key === "ArrowDown" ? row.nextElementSibling : row.previousElementSibling;
    if (next) next.querySelector("button").focus();
    else if (key === "ArrowUp") field.focus();
  }
});

// Before htmx takes the press for one that the server answers.
form.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=action]"), row = button?.closest("#added > li");
  if (!button || !(row || button === undo || button.id === "add")) return;
  event.preventDefault();
  event.stopPropagation();
  if (row) remove(row); else if (button === undo) putBack(); else add();
}, true);

field.addEventListener("input", quiet);

// An answer was found where the person reads, unless they say something else.
function follow() {
  const title = id("article")?.dataset.title ?? "";
  if (source.value !== offered && source.value) return;
  if (source.value === title) return;
  offered = source.value = title;
  if (field.value) changed();
}
document.addEventListener("ambit:read", follow);

stage.shape = () => shapes;
stage.fits = (part, same) => same || !/^(messages-|checks|todo)/.test(part.id);
stage.one = "answer";
stage.took = (row) => {
  numbered();
  return `“${textOf(row)}” added. ${list.children.length} in all.`;
};
// Words selected in the article are an answer found there.
stage.targets = () => [{ key: "new", label: "A new answer" }];
stage.addForm = (key, text) => {
  const problem = put(line(text), id("article")?.dataset.title ?? line(source.value));
  if (problem) tell(problem);
  return !problem;
};
stage.fill = (entries) => {
  const of = new Map(entries), read = (name) => {
    const found = [];
    for (let at = 0; of.has(`${name}-${at}-text`); at += 1) found.push([of.get(`${name}-${at}-text`), of.get(`${name}-${at}-page`) ?? "", of.get(`${name}-${at}-suggestion`) ?? ""]);
    return found;
  };
  list.replaceChildren(...read("added").map((one) => made(...one)));
  gone.replaceChildren(...read("removed").map((one) => {
    const row = made(...one);
    row.querySelector("button").remove();
    return row;
  }));
  field.value = of.get("new") ?? "";
  source.value = of.get("source") ?? "";
  numbered();
  changed();
};

offered = source.value === (id("article")?.dataset.title ?? "") ? source.value : "";
follow();
// What was added before this ran, the server added. What is in the field stays, and Enter adds it.
