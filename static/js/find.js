// Find in page: over the words of the article, n of m, logged once somebody stops typing.
import { announce } from "./announce.js";
import { singleKey } from "./keys.js";
import { paint, reveal, text } from "./text.js";
import { show } from "./panels.js";

const form = document.getElementById("find-form");
const box = document.getElementById("find");
const count = document.getElementById("find-count");
const changed = new EventTarget();
let hits = [], at = -1, waiting;

export const onFind = (listener) => changed.addEventListener("find", (event) => listener(event.detail));
// Where the match under hand stands, [start, end], or null.
export const current = () => hits[at] ?? null;

function look() {
  const query = box.value.trim();
  hits = query ? text()?.all(query.replace(/\s+/g, " ")) ?? [] : [];
  at = -1;
  paint("find", hits.slice(0, 1000).map(([start, end]) => text().range(start, end)));
  paint("find-current", []);
  count.textContent = query ? "None" : "";
  clearTimeout(waiting);
  if (!query) return;
  if (hits.length) go(1, false);
  waiting = setTimeout(() => {
    announce(said());
    changed.dispatchEvent(new CustomEvent("find", { detail: { query, hits: hits.length } }));
  }, 900);
}

const said = () => (hits.length ? `${at + 1} of ${hits.length}` : "No match on this page");

function go(step, aloud = true) {
  if (!hits.length) { if (box.value.trim()) announce(said()); return; }
  at = (at + step + hits.length) % hits.length;
  const range = text().range(...hits[at]);
  paint("find-current", [range]);
  reveal(range);
  count.textContent = said();
  if (aloud) announce(said());
}

// A new article: the words looked for stay, their matches are new.
export function refresh() {
  const open = Boolean(text());
  form.hidden = !open;
  hits = [];
  if (open && box.value.trim()) {
    hits = text().all(box.value.trim().replace(/\s+/g, " "));
    paint("find", hits.slice(0, 1000).map(([start, end]) => text().range(start, end)));
  } else paint("find", []);
  paint("find-current", []);
  at = -1;
  count.textContent = open && box.value.trim() ? `0 of ${hits.length}` : "";
}

form.addEventListener("submit", (event) => event.preventDefault());
box.addEventListener("input", look);
box.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.isComposing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    go(event.shiftKey ? -1 : 1);
  } else if (event.key === "Escape") {
    event.preventDefault();
    document.getElementById("read").focus({ preventScroll: true });
  }
});
form.addEventListener("click", (event) => {
  const button = event.target.closest("[data-find]");
  if (button) go(Number(button.dataset.find));
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "f" || !singleKey(event) || form.hidden) return;
  event.preventDefault();
  show("read");
  box.focus();
  box.select();
});
