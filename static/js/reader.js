// Searching and reading without leaving the page: links and the search form fetch fragments, the
// address and the browser's back and forward follow, the answer form stays as it is. Reports the
// time each page was visible, and links that lead out.
import { announce } from "./announce.js";
import { refresh } from "./find.js";
import { singleKey } from "./keys.js";
import { show } from "./panels.js";
import { paint, reveal, root, scroller, text } from "./text.js";

const id = (name) => document.getElementById(name);
const panel = id("read"), drawer = id("search"), menu = id("outline");
const { work } = id("reading").dataset;
const positions = new Map();
const token = JSON.parse(document.body.getAttribute("hx-headers"))["x-csrftoken"];
let loading = null, quotes = [];

export const path = () => id("reader").dataset.path;
export const post = (to, body, more) => fetch(work + to, { method: "POST", headers: { "X-CSRFToken": token, Accept: "application/json" }, body, ...more });

// --- what the server cannot see by itself -------------------------------------------------

let visible = false, since = 0, spent = 0, depth = 0;
const visit = () => Number(id("reader").dataset.open);

const send = (event) => visit() && post("events/", JSON.stringify({ events: [event] }), { keepalive: true }).catch(() => {});

function clock() {
  const now = performance.now();
  if (since) spent += now - since;
  since = visible && document.visibilityState === "visible" ? now : 0;
}

// The page is left or hidden: the time it was visible since the last report.
function leave() {
  clock();
  const event = { kind: "page_close", page_open: visit(), dwell_ms: Math.round(spent), depth };
  if (spent < 300) return null;
  spent = 0;
  return send(event);
}

function measure() {
  const { scrollTop, clientHeight, scrollHeight } = scroller();
  if (visible && root() && clientHeight) depth = Math.max(depth, Math.min(100, Math.round((100 * (scrollTop + clientHeight)) / scrollHeight)));
}

// On a phone another panel may be in front: then nobody reads.
new IntersectionObserver(([entry]) => { visible = entry.isIntersecting; clock(); measure(); }).observe(panel);
document.addEventListener("visibilitychange", () => (document.visibilityState === "hidden" ? leave() : clock()));
addEventListener("pagehide", () => { remember(); leave(); });
for (const box of [panel, document]) box.addEventListener("scroll", measure, { passive: true });
document.addEventListener("ambit:find", ({ detail }) => send({ kind: "find_in_page", ...detail }));
for (const name of ["click", "auxclick"]) {
  document.addEventListener(name, (event) => {
    const link = event.target.closest("#reader a.external");
    if (link && event.button < 2) send({ kind: "external_click", url: link.href.slice(0, 2000) });
  });
}

// --- parts of the page ---------------------------------------------------------------------

// Put each part of a reply in the place of the part with its id.
function put(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const parts = [...holder.content.children].filter((part) => id(part.id));
  for (const part of parts) id(part.id).replaceWith(part);
  for (const row of document.querySelectorAll("#results .result")) {
    const open = row.dataset.path === path(), link = row.querySelector("a"), read = row.querySelector("[data-read]");
    const minutes = Number(document.querySelector(`#history [data-path="${CSS.escape(row.dataset.path)}"]`)?.dataset.minutes ?? 0);
    row.classList.toggle("open", open);
    if (open) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    read.hidden = !minutes;
    read.textContent = `Read for ${minutes} min`;
  }
  return parts;
}

function arrived() {
  const list = document.querySelector("#reader .outline ol");
  quotes = JSON.parse(id("page-quotes")?.textContent ?? "[]");
  paintQuotes();
  refresh();
  id("outline-button").hidden = !list;
  menu.replaceChildren(...(list ? [list.cloneNode(true)] : []));
  [spent, depth] = [0, 0];
  clock();
  measure();
}

function paintQuotes() {
  if (text()) paint("quote", quotes.map((quote) => text().quote(quote)).filter(Boolean));
}

export function addQuote(quote) {
  quotes.push(quote);
  paintQuotes();
  put(quote.history);
}

const quoteOf = (key) => quotes.find((quote) => String(quote.id) === key);

function showQuote(key) {
  const quote = quoteOf(key), place = quote && text()?.quote(quote);
  if (!place) return;
  show("read");
  reveal(place);
  paint("shown", [place]);
  setTimeout(() => paint("shown", []), 2500);
  panel.focus({ preventScroll: true });
  announce(`Shown in the article: ${quote.exact}`);
}

// --- going places --------------------------------------------------------------------------

const state = (anchor = "") => ({ page: path(), search: id("results").dataset.search, anchor, scroll: 0 });

function push(anchor) {
  const { page, search } = state();
  const query = new URLSearchParams(Object.entries({ page, search }).filter(([, value]) => value));
  history.pushState(state(anchor), "", `${work}?${query}${anchor ? `#${encodeURIComponent(anchor)}` : ""}`);
}

// Where the reader is, kept with the entry of the history and with the page.
function remember() {
  const scroll = scroller().scrollTop;
  positions.set(path(), scroll);
  if (history.state?.search !== undefined) history.replaceState({ ...history.state, scroll }, "");
}

function settle(anchor, scroll) {
  const target = !scroll && anchor && id(anchor);
  if (!target) { scroller().scrollTop = scroll ?? 0; return; }
  target.scrollIntoView();
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

async function fetchParts(url) {
  loading?.abort();
  const mine = loading = new AbortController();
  panel.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(url, { headers: { "HX-Request": "true" }, signal: mine.signal });
    if (response.redirected) { location.assign(response.url); return ""; }
    const html = await response.text();
    if (/^\s*<\w+[^>]* id="(reader|results)"/.test(html)) return html;
    announce("This could not be opened. Load the page again.");
  } catch (error) {
    if (error.name !== "AbortError") announce("Nothing came back. Check the connection, then try again.");
  } finally {
    if (loading === mine) panel.removeAttribute("aria-busy");
  }
  return "";
}

// Fetch what a link leads to and put it in its place. With `back` it is an entry of the history.
async function go(url, { back, quote, focus } = {}) {
  const target = new URL(url, location.href), anchor = decodeURIComponent(target.hash.slice(1));
  const article = target.pathname.startsWith(`${work}read/`);
  target.hash = "";
  if (back) positions.set(path(), scroller().scrollTop); else remember();
  // The time on the page that is left belongs into the history that comes back.
  if (article) await Promise.race([leave(), new Promise((done) => { setTimeout(done, 150); })]);
  const html = await fetchParts(target);
  if (!html) return;
  announce(put(html)[0].dataset.announce);
  if (article) arrived();
  if (!back) push(anchor);
  const searched = id("results").dataset.query, box = id("query");
  if (!article && searched && document.activeElement !== box) box.value = searched;
  if (!article) { if (focus) id("results-title").focus(); return; }
  show("read");
  if (drawer.matches(":popover-open")) drawer.hidePopover();
  id("article-title")?.focus({ preventScroll: true });
  settle(back ? back.anchor : anchor, back ? back.scroll : anchor ? 0 : positions.get(path()));
  if (quote) showQuote(quote);
  document.dispatchEvent(new CustomEvent("ambit:read"));
}

// In the capture phase: nothing else follows these links.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const quote = link.closest("[data-quote]")?.dataset.quote;
  const within = link.matches("#reader a[href^='#'], #outline a");
  if (!quote && !within && !link.matches("[data-nav], [data-results], #reader a.internal")) return;
  event.preventDefault();
  event.stopPropagation();
  if (link.matches("[data-results]")) openSearch("results-title");
  else if (quote && quoteOf(quote)) showQuote(quote);
  else if (within) {
    const anchor = decodeURIComponent(link.hash.slice(1));
    menu.hidePopover();
    remember();
    push(anchor);
    settle(anchor, 0);
  } else go(link.href, { quote, focus: link.rel });
}, true);

// In Contents, the section under the top edge of the panel is marked; at the end, the last.
menu.addEventListener("beforetoggle", ({ newState }) => {
  if (newState !== "open") return;
  const { scrollTop, clientHeight, scrollHeight } = scroller();
  const end = scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 2;
  const top = end ? Infinity : Math.max(0, panel.getBoundingClientRect().top) + 80, links = [...menu.querySelectorAll("a")];
  const here = links.findLast((link) => id(decodeURIComponent(link.hash.slice(1)))?.getBoundingClientRect().top <= top) ?? links[0];
  for (const link of links) if (link === here) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
});

export function searchFor(words) {
  const form = id("search-form");
  form.elements.q.value = words;
  go(`${form.action}?${new URLSearchParams({ q: words })}`);
}

id("search-form").addEventListener("submit", (event) => {
  event.preventDefault();
  searchFor(event.target.elements.q.value.trim());
});

function openSearch(then) {
  const column = [...document.querySelectorAll("[data-toggle-search]")].find((button) => button.checkVisibility());
  if (drawer.checkVisibility()) id(then).focus();
  else if (column) column.click();
  else drawer.showPopover();
  id(then).focus();
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "s" || !singleKey(event)) return;
  event.preventDefault();
  openSearch("query");
  id("query").select();
});

// Back and forward: only what differs is fetched; a search comes back from the log.
addEventListener("popstate", async ({ state: back }) => {
  if (back?.search === undefined) return;
  if (back.search && back.search !== id("results").dataset.search) {
    await go(`${work}search/?event=${back.search}`, { back });
    id("query").value = id("results").dataset.query;
  }
  if (back.page && back.page !== path()) await go(`${work}read/${back.page.split("/").map(encodeURIComponent).join("/")}?via=history`, { back });
  else if (path() && !back.page) openSearch("results-title");
  else settle(back.anchor, back.scroll);
});

history.scrollRestoration = "manual";
const here = decodeURIComponent(location.hash.slice(1)), before = history.state;
if (before?.search === undefined) history.replaceState(state(here), "");
arrived();
if (here.startsWith("quote-")) showQuote(here.slice(6));
else if (root()) settle(here, before?.scroll);
