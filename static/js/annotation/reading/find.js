// Find in page: n of m over the words of the article, logged once typing stops.
import { announce } from "../../shared/announce.js";
import { shortcut } from "../../shared/keys.js";
import { show } from "../../shared/panels.js";
import { paint, reveal, text } from "./text.js";

const form = document.getElementById("find-form");
const box = document.getElementById("find");
const count = document.getElementById("find-count");
let hits = [], at = -1, waiting;

// The place of the current match, [start, end], or null.
export const current = () => hits[at] ?? null;
const wanted = () => box.value.trim().replace(/\s+/g, " ");
const said = () => (hits.length ? `${at + 1} of ${hits.length}` : "No match on this page");

// Search again after the words or the article have changed.
export function refresh() {
  form.hidden = !text();
  hits = (wanted() && text()?.all(wanted())) || [];
  at = -1;
  if (text()) { paint("find", hits); paint("find-current", []); }
  count.textContent = !wanted() ? "" : hits.length ? `0 of ${hits.length}` : "None";
}

function go(step, aloud = true) {
  if (hits.length) {
    at = (at + step + hits.length) % hits.length;
    paint("find-current", [current()]);
    reveal(current());
    count.textContent = said();
  }
  if (aloud && wanted()) announce(said());
}

// Announce and log the search, once the person stops typing or does something else.
function tell() {
  clearTimeout(waiting);
  waiting = 0;
  announce(said());
  form.dispatchEvent(new CustomEvent("ambit:find", { bubbles: true, detail: { query: wanted(), hits: hits.length } }));
}

box.addEventListener("input", () => {
  refresh();
  clearTimeout(waiting);
  waiting = 0;
  if (!wanted()) return;
  go(1, false);
  waiting = setTimeout(tell, 900);
});
box.addEventListener("blur", () => waiting && tell());
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("click", (event) => {
  const button = event.target.closest("[data-find]");
  if (button) go(Number(button.dataset.find));
});
box.addEventListener("keydown", (event) => {
  if (event.isComposing || event.ctrlKey || event.metaKey || !["Enter", "Escape"].includes(event.key)) return;
  event.preventDefault();
  if (waiting) tell();
  if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
  else {
    document.getElementById("read").focus({ preventScroll: true });
    form.dispatchEvent(new CustomEvent("ambit:found", { bubbles: true }));
  }
});
document.addEventListener("keydown", (event) => {
  if (form.hidden || shortcut(event) !== "find") return;
  event.preventDefault();
  show("read");
  box.focus();
  box.select();
});
