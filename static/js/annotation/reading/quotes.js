// Quotes of this work on the page that is open: painted, and shown one by one in a bar that says how
// each was found again. The server decides their places, in code points of its text.
import { announce } from "../../shared/announce.js";
import { ours, words } from "./canonical.js";
import { path, push, put, quotes, remember } from "./page.js";
import { show } from "../../shared/panels.js";
import { paint, reveal, text } from "./text.js";

const panel = document.getElementById("read");
const bar = document.createElement("div");
Object.assign(bar, { id: "quote-bar", className: "quote-bar", hidden: true });
bar.setAttribute("role", "group");
bar.setAttribute("aria-label", "Quotes on this page");
bar.innerHTML = `<p><strong></strong> <span></span></p>
<button class="button quiet small square" type="button" data-step="-1" aria-label="Previous quote"></button>
<button class="button quiet small square" type="button" data-step="1" aria-label="Next quote"></button>
<button class="button quiet small square" type="button" data-step="0" aria-label="Close"></button>`;
const steps = [...bar.querySelectorAll("button")];
["[data-find='-1']", "[data-find='1']", "#selection-bar [data-do=close]"].forEach((from, at) => steps[at].append(document.querySelector(`${from} svg`).cloneNode(true)));
document.querySelector(".reader-head").append(bar);
let shown = null;

// [start, end] in our text, or null for a lost quote. Should this browser read the HTML otherwise
// than the server did, the words decide, nearest to where they were expected.
function placeOf({ start, end, now }) {
  const page = text();
  if (!page || start === null) return null;
  const place = ours(page, [start, end]);
  if (place && words(page, [start, end]) === now) return place;
  const near = place ? place[0] : 0, away = ([at]) => Math.abs(at - near);
  return page.all(now.replace(/\s+/g, " ")).sort((one, other) => away(one) - away(other))[0] ?? null;
}

export function paintQuotes() {
  if (!text()) return;
  if (shown && !quotes.includes(shown)) close();
  paint("quote", quotes.map(placeOf).filter(Boolean));
}

export function addQuote(quote) {
  if (quote.path === path()) quotes.push(quote);
  quotes.sort((one, other) => (one.start ?? Infinity) - (other.start ?? Infinity));
  paintQuotes();
  put(quote.history);
}

export function showQuote(key) {
  const quote = quotes.find(({ id }) => String(id) === String(key));
  if (!quote || !text()) return;
  const anchor = `quote-${quote.id}`, place = placeOf(quote);
  if (location.hash !== `#${anchor}`) { remember(); push(anchor); }
  shown = quote;
  show("read");
  const [title, note] = bar.firstElementChild.children;
  title.textContent = quotes.length > 1 ? `Quote ${quotes.indexOf(quote) + 1} of ${quotes.length}` : "Quote";
  note.textContent = quote.note;
  bar.dataset.state = quote.state;
  for (const step of steps.slice(0, 2)) step.hidden = quotes.length < 2;
  bar.hidden = false;
  paint("shown", place ? [place] : []);
  if (place) reveal(place);
  if (!bar.contains(document.activeElement)) panel.focus({ preventScroll: true });
  announce(quote.state === "exact" ? `Shown in the article: ${quote.exact}` : quote.note);
}

function close() {
  shown = null;
  paint("shown", []);
  if (bar.contains(document.activeElement)) panel.focus({ preventScroll: true });
  bar.hidden = true;
}

bar.addEventListener("click", (event) => {
  const step = Number(event.target.closest("button")?.dataset.step ?? NaN);
  if (step) showQuote(quotes[(quotes.indexOf(shown) + step + quotes.length) % quotes.length].id);
  else if (step === 0) close();
});
bar.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
});
