// Searching and reading without leaving the page: links and the search form fetch fragments, the
// address and the browser's back and forward follow, the answer form stays as it is. Reports the
// time each page was visible, and links that lead out.
import { announce } from "./announce.js";
import { onFind, refresh } from "./find.js";
import { singleKey } from "./keys.js";
import { show } from "./panels.js";
import { paint, reveal, root, text } from "./text.js";
import { localise } from "./times.js";

const panel = document.getElementById("read");
const work = document.getElementById("reading").dataset.work;
const reader = () => document.getElementById("reader");
const results = () => document.getElementById("results");
const token = JSON.parse(document.body.getAttribute("hx-headers"))["x-csrftoken"];
const positions = new Map();
let loading = null, quotes = [];

export const path = () => reader().dataset.path;
export const headers = { "X-CSRFToken": token, Accept: "application/json" };

// --- what the log cannot see by itself ----------------------------------------------------

let visible = false, since = 0, spent = 0, depth = 0;

function send(...events) {
  const body = JSON.stringify({ events });
  return fetch(`${work}events/`, { method: "POST", keepalive: true, headers: { ...headers, "Content-Type": "application/json" }, body }).catch(() => {});
}

function clock() {
  const now = performance.now();
  if (since) spent += now - since;
  since = visible && document.visibilityState === "visible" ? now : 0;
}

function leave() {
  clock();
  const open = Number(reader().dataset.open), dwell = Math.round(spent);
  if (!open || dwell < 300) return null;
  spent = 0;
  return send({ kind: "page_close", page_open: open, dwell_ms: dwell, depth });
}

const scroller = () => (panel.scrollHeight > panel.clientHeight + 1 && getComputedStyle(panel).overflowY !== "visible" ? panel : document.scrollingElement);

function measure() {
  const box = scroller();
  if (root() && visible) depth = Math.max(depth, Math.min(100, Math.round((100 * (box.scrollTop + box.clientHeight)) / box.scrollHeight)));
}

// On a phone another panel may be in front: then nobody reads.
new IntersectionObserver(([entry]) => { visible = entry.isIntersecting; clock(); measure(); }).observe(panel);
document.addEventListener("visibilitychange", () => (document.visibilityState === "hidden" ? leave() : clock()));
addEventListener("pagehide", () => { remember(); leave(); });
// The log closes with the answer: the last page is reported before it.
document.addEventListener("submit", (event) => { if (event.target.id === "answer") leave(); }, true);
for (const box of [panel, document]) box.addEventListener("scroll", () => { measure(); outlineNow(); }, { passive: true });
onFind(({ query, hits }) => { if (reader().dataset.open) send({ kind: "find_in_page", query, hits }); });

function leads(event) {
  const link = event.target.closest?.("#reader a.external");
  if (link && event.button < 2 && reader().dataset.open) send({ kind: "external_click", url: link.href.slice(0, 2000) });
}
document.addEventListener("click", leads);
document.addEventListener("auxclick", leads);

// --- parts of the page ---------------------------------------------------------------------

export function put(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const parts = [...holder.content.children].filter((part) => part.id && document.getElementById(part.id));
  for (const part of parts) {
    localise(part);
    document.getElementById(part.id).replaceWith(part);
  }
  mark();
  return parts;
}

// Which result is open, and how long each was read, as the history says.
function mark() {
  const minutes = new Map([...document.querySelectorAll("#history [data-minutes]")].map((row) => [row.dataset.path, row.dataset.minutes]));
  for (const row of document.querySelectorAll("#results .result")) {
    const open = row.dataset.path === path(), read = row.querySelector("[data-read]");
    row.classList.toggle("open", open);
    if (open) row.querySelector("a").setAttribute("aria-current", "true");
    else row.querySelector("a").removeAttribute("aria-current");
    const spentHere = Number(minutes.get(row.dataset.path) ?? 0);
    read.hidden = !spentHere;
    read.textContent = `Read for ${spentHere} min`;
  }
}

function arrived() {
  const data = document.getElementById("page-quotes");
  quotes = data ? JSON.parse(data.textContent) : [];
  paintQuotes();
  refresh();
  outline();
  [spent, depth] = [0, 0];
  clock();
  measure();
}

function paintQuotes() {
  const places = quotes.length && text() ? quotes.map((quote) => text().quote(quote)).filter(Boolean) : [];
  paint("quote", places.map(([start, end]) => text().range(start, end)));
}

export function addQuote(quote) {
  quotes.push(quote);
  paintQuotes();
  put(quote.history);
}

function showQuote(id) {
  const quote = quotes.find((each) => String(each.id) === String(id)), place = quote && text().quote(quote);
  if (!place) return;
  const range = text().range(...place);
  show("read");
  reveal(range);
  paint("shown", [range]);
  setTimeout(() => paint("shown", []), 2500);
  panel.focus({ preventScroll: true });
  announce(`Shown in the article: ${quote.exact}`);
}

// --- contents -------------------------------------------------------------------------------

const menu = document.getElementById("outline");

function outline() {
  const list = document.querySelector("#reader .outline ol");
  document.getElementById("outline-button").hidden = !list;
  menu.replaceChildren(...(list ? [list.cloneNode(true)] : []));
}

function outlineNow() {
  if (!menu.matches(":popover-open")) return;
  const top = panel.getBoundingClientRect().top + 80;
  let now = null;
  for (const link of menu.querySelectorAll("a")) {
    link.removeAttribute("aria-current");
    const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (target && target.getBoundingClientRect().top <= top) now = link;
  }
  now?.setAttribute("aria-current", "true");
}
menu.addEventListener("toggle", outlineNow);

// --- going places ---------------------------------------------------------------------------

function address(state) {
  const query = new URLSearchParams();
  if (state.page) query.set("page", state.page);
  if (state.search) query.set("search", state.search);
  return `${work}?${query}${state.anchor ? `#${encodeURIComponent(state.anchor)}` : ""}`;
}

const state = (anchor = "") => ({ page: path(), search: results().dataset.search, anchor, scroll: 0 });

// Where the reader was, kept with the entry of the history and with the page.
function remember() {
  const { scrollTop } = scroller();
  if (path()) positions.set(path(), scrollTop);
  if (history.state?.search !== undefined) history.replaceState({ ...history.state, scroll: scrollTop }, "");
}

function scrollTo(anchor, otherwise) {
  const target = anchor && document.getElementById(anchor);
  if (target) {
    target.scrollIntoView();
    if (!target.hasAttribute("tabindex")) target.tabIndex = -1;
    target.focus({ preventScroll: true });
  } else scroller().scrollTop = otherwise;
}

async function fetchParts(url) {
  loading?.abort();
  const mine = loading = new AbortController();
  panel.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(url, { headers: { "HX-Request": "true" }, signal: mine.signal });
    if (response.redirected) { location.assign(response.url); return null; }
    const html = await response.text();
    const type = response.headers.get("Content-Type") ?? "";
    return { html, fits: type.startsWith("text/html") && /^\s*<(div|section)[^>]* id="(reader|results)"/.test(html) };
  } catch (error) {
    if (error.name !== "AbortError") announce("Nothing came back. Check the connection, then try again.");
    return null;
  } finally {
    if (loading === mine) panel.removeAttribute("aria-busy");
  }
}

// Fetch what a link leads to and put it in its place. `how`: push, anchor, scroll, quote.
export async function visit(url, how = {}) {
  const target = new URL(url, location.href);
  const anchor = how.anchor ?? decodeURIComponent(target.hash.slice(1));
  target.hash = "";
  remember();
  const article = target.pathname.startsWith(`${work}read/`);
  // The time on the page that is left belongs into the history that comes back.
  if (article) { clock(); await Promise.race([leave(), new Promise((done) => { setTimeout(done, 150); })]); }
  const reply = await fetchParts(target);
  if (!reply) return;
  if (!reply.fits) { announce("This could not be opened. Load the page again."); return; }
  for (const part of put(reply.html)) if (part.dataset.announce) announce(part.dataset.announce);
  if (article) arrived();
  if (how.push !== false) history.pushState(state(anchor), "", address(state(anchor)));
  if (article) {
    show("read");
    const drawer = document.getElementById("search");
    if (drawer.matches(":popover-open")) drawer.hidePopover();
    document.getElementById("article-title")?.focus({ preventScroll: true });
    scrollTo(anchor, how.scroll ?? positions.get(path()) ?? 0);
    if (how.quote) showQuote(how.quote);
    document.dispatchEvent(new CustomEvent("ambit:read"));
  } else if (how.focus) document.getElementById("results-title").focus();
}

const plain = (event) => !(event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

// In the capture phase: nothing else follows these links.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || !plain(event)) return;
  const shown = link.closest("[data-quote]");
  const inside = link.closest("#reader, #outline");
  const hash = link.getAttribute("href").startsWith("#");
  if (!(link.matches("[data-nav], [data-results], #reader a.internal") || shown || (inside && hash))) return;
  event.preventDefault();
  event.stopPropagation();
  if (link.matches("[data-results]")) toResults();
  else if (shown) {
    if (quotes.some((quote) => String(quote.id) === shown.dataset.quote)) showQuote(shown.dataset.quote);
    else visit(link.href, { quote: shown.dataset.quote });
  } else if (hash) {
    const anchor = decodeURIComponent(link.hash.slice(1));
    menu.hidePopover();
    remember();
    history.pushState(state(anchor), "", address(state(anchor)));
    scrollTo(anchor, 0);
  } else visit(link.href, { focus: link.rel === "next" || link.rel === "prev" });
}, true);

export function searchFor(words) {
  const form = document.getElementById("search-form");
  form.elements.q.value = words;
  return visit(`${form.action}?${new URLSearchParams({ q: words })}`);
}

document.getElementById("search-form").addEventListener("submit", (event) => {
  event.preventDefault();
  searchFor(event.target.elements.q.value.trim());
});

function openSearch() {
  const drawer = document.getElementById("search");
  if (matchMedia("(min-width: 75rem)").matches) {
    if (document.querySelector(".workbench").dataset.search === "closed") document.querySelector("[data-toggle-search]").click();
  } else if (!drawer.matches(":popover-open")) drawer.showPopover();
}

function toResults() {
  openSearch();
  document.getElementById("results-title").focus();
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "s" || !singleKey(event)) return;
  event.preventDefault();
  openSearch();
  document.getElementById("query").select();
  document.getElementById("query").focus();
});

// Back and forward: only what differs is fetched; a search comes back from the log.
addEventListener("popstate", async ({ state: then }) => {
  if (!then || then.search === undefined) return;
  if (path()) positions.set(path(), scroller().scrollTop);
  if (then.search && then.search !== results().dataset.search) {
    await visit(`${work}search/?event=${then.search}`, { push: false });
    document.getElementById("query").value = results().dataset.query;
  }
  if (then.page && then.page !== path()) {
    await visit(`${work}read/${then.page.split("/").map(encodeURIComponent).join("/")}?via=history`, { push: false, anchor: then.scroll ? "" : then.anchor, scroll: then.scroll });
  } else scrollTo(then.scroll ? "" : then.anchor, then.scroll ?? 0);
});

history.scrollRestoration = "manual";
const before = history.state;
const here = decodeURIComponent(location.hash.slice(1));
if (before?.search === undefined) history.replaceState(state(here), "", location.href);
arrived();
mark();
if (here.startsWith("quote-")) showQuote(here.slice(6));
else if (root()) scrollTo(before?.scroll ? "" : here, before?.scroll ?? 0);
