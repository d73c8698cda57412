// Searching and reading without leaving the page: links and the search form fetch fragments, the
// address and the browser's back and forward follow, the answer form stays as it is. Reports the
// time each page was visible, and links that lead out.
import { announce } from "../../shared/announce.js";
import { refresh } from "./find.js";
import { shortcut } from "../../shared/keys.js";
import { path, positions, post, push, put, quotes, readQuotes, remember, state, work } from "./page.js";
import { show } from "../../shared/panels.js";
import { root, scroller } from "./text.js";
import { icon, way } from "../../shared/toast.js";

const id = (name) => document.getElementById(name);
const panel = id("read"), drawer = id("search"), menu = id("outline");
let loading = null, opener = null;
const quoted = (act, ...given) => import("./quotes.js").then((module) => module[act](...given)).catch(() => {});

// --- what the server cannot see -------------------------------------------------

let visible = false, since = 0, spent = 0, depth = 0;
const visit = () => Number(id("reader").dataset.open);

// Reports wait here, also while the page is loaded again, until the server has them. Sending one
// twice does no harm: it counts by its id.
const kept = `ambit:events:${work}`;
let waiting = JSON.parse(sessionStorage.getItem(kept) ?? "[]"), timer;

function keep(events) {
  waiting = events.slice(-100);
  sessionStorage.setItem(kept, JSON.stringify(waiting));
}

async function flush() {
  clearTimeout(timer);
  const batch = waiting.slice(0, 20), ids = new Set(batch.map(({ id }) => id)), now = Date.now();
  if (!batch.length) return;
  const events = batch.map(({ at, ...event }) => ({ ...event, ago: Math.min(864e5, Math.max(0, now - at)) }));
  try {
    const { status, redirected } = await post("events/", JSON.stringify({ events }), { keepalive: true });
    if (redirected || status === 403 || status >= 500) return;
    keep(waiting.filter(({ id }) => !ids.has(id)));
    if (waiting.length) flush();
  } catch { /* with the next report, or when the connection is back */ }
}
addEventListener("online", flush);

function send(event, soon) {
  if (!visit()) return;
  const id = crypto.getRandomValues(new Uint32Array(4)).join("-").slice(0, 40);
  keep([...waiting, { ...event, id, page_open: visit(), at: Date.now() }]);
  if (!soon) return flush();
  clearTimeout(timer);
  timer = setTimeout(flush, 5000);
}

function clock() {
  const now = performance.now();
  if (since) spent += now - since;
  since = visible && document.visibilityState === "visible" ? now : 0;
}

// When the page is left or hidden: report how long it was visible since the last report.
function leave() {
  clock();
  if (spent < 300) return flush();
  const dwell_ms = Math.round(spent);
  spent = 0;
  return send({ kind: "page_close", dwell_ms, depth });
}

function measure() {
  const { scrollTop, clientHeight, scrollHeight } = scroller();
  if (visible && root() && clientHeight) depth = Math.max(depth, Math.min(100, Math.round((100 * (scrollTop + clientHeight)) / scrollHeight)));
}

// On a phone another panel may be in front; then the person is not reading.
new IntersectionObserver(([entry]) => { visible = entry.isIntersecting; clock(); measure(); }).observe(panel);
document.addEventListener("visibilitychange", () => (document.visibilityState === "hidden" ? leave() : clock()));
addEventListener("pagehide", () => { remember(); leave(); });
for (const box of [panel, document]) box.addEventListener("scroll", measure, { passive: true });
document.addEventListener("ambit:find", ({ detail }) => send({ kind: "find_in_page", ...detail }, true));
for (const name of ["click", "auxclick"]) {
  document.addEventListener(name, (event) => {
    const link = event.target.closest("#reader a.external");
    if (link && event.button < 2) send({ kind: "external_click", url: link.href.slice(0, 2000) });
  });
}

// --- parts of the page ---------------------------------------------------------------------

function arrived() {
  const list = document.querySelector("#reader .outline ol");
  readQuotes();
  if (root()) quoted("paintQuotes");
  refresh();
  id("outline-button").hidden = !list;
  menu.replaceChildren(...(list ? [list.cloneNode(true)] : []));
  [spent, depth] = [0, 0];
  clock();
  measure();
}

// --- going places --------------------------------------------------------------------------

function settle(anchor, scroll) {
  const target = !scroll && anchor && id(anchor);
  if (!target) { scroller().scrollTop = scroll ?? 0; return; }
  target.scrollIntoView();
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

// The style of articles is loaded with the first of them.
function styled() {
  const href = id("reading").dataset.style;
  if (document.querySelector(`link[href="${href}"]`)) return null;
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  id("reader-styles").before(link);
  return new Promise((done) => { link.onload = done; link.onerror = () => done(link.remove()); });
}

// The reply for an address: {html}, or a {problem} to show; nothing if another was requested since.
async function fetchParts(url) {
  loading?.abort();
  const mine = loading = new AbortController();
  panel.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(url, { headers: { "HX-Request": "true" }, signal: mine.signal });
    if (response.redirected) { location.assign(response.url); return {}; }
    const html = await response.text();
    if (/^\s*<\w+[^>]* id="(reader|results)"/.test(html)) return { html };
    return { problem: response.status === 401 ? "You are signed out. Sign in again in another tab, then try again." : "The server could not answer." };
  } catch (error) {
    return error.name === "AbortError" ? {} : { problem: "There is no connection." };
  } finally {
    if (loading === mine) panel.removeAttribute("aria-busy");
  }
}

// Shown in place of the article or results; results of another search are not left there.
function failed(problem, words, again) {
  const said = Object.assign(document.createElement("p"), { className: "message error" });
  const text = Object.assign(document.createElement("span"), { textContent: problem });
  said.append(icon("error"), text);
  if (words) {
    const results = id("results"), title = id("results-title");
    Object.assign(results.dataset, { search: "", query: words });
    title.textContent = `Not searched: “${words}”`;
    results.replaceChildren(title, said, way("Try again", again));
  } else {
    text.textContent = `The page was not opened. ${problem}`;
    const bar = Object.assign(document.createElement("div"), { id: "reader-problem", className: "quote-bar" });
    bar.setAttribute("role", "group");
    bar.append(said, way("Try again", again));
    document.querySelector(".reader-head").append(bar);
    show("read");
    if (drawer.matches(":popover-open")) drawer.hidePopover();
  }
  announce(text.textContent);
}

// Fetch the target of a link and put it in its place. With `back` it is an entry of the history.
async function go(url, { back, quote, focus } = {}) {
  const target = new URL(url, location.href), anchor = decodeURIComponent(target.hash.slice(1));
  const article = target.pathname.startsWith(`${work}read/`);
  target.hash = "";
  // A link in the article: the log records from which visit, and to which place.
  if (article && !target.search) target.search = new URLSearchParams({ from: visit() || "", anchor });
  if (back) positions.set(path(), scroller().scrollTop); else remember();
  // Report the time on the page being left first, so that the new history includes it.
  if (article) await Promise.race([leave(), new Promise((done) => { setTimeout(done, 150); })]);
  const [{ html, problem }] = await Promise.all([fetchParts(target), article && styled()]);
  if (html || problem) id("reader-problem")?.remove();
  if (problem) failed(problem, article ? "" : target.searchParams.get("q") ?? id("query").value, () => go(url, { back, quote, focus }));
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
  if (quote) quoted("showQuote", quote);
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
  else if (quotes.some((one) => String(one.id) === quote)) quoted("showQuote", quote);
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

// It opens for its box, below the prompt.
drawer.addEventListener("beforetoggle", ({ newState }) => {
  const prompt = document.querySelector(".masthead")?.getBoundingClientRect().bottom ?? 0;
  if (newState !== "open") return;
  drawer.style.setProperty("--under", `${Math.max(0, Math.min(prompt, innerHeight / 2))}px`);
  opener = document.activeElement;
});
drawer.addEventListener("toggle", ({ newState }) => {
  const within = drawer.contains(document.activeElement);
  if (newState === "open" && !within) id("query").focus();
  // Browsers do this, except for a button of another popover.
  if (newState === "closed" && (within || document.activeElement === document.body)) opener?.focus();
});

document.addEventListener("keydown", (event) => {
  if (shortcut(event) !== "search" || event.target.closest(".popover")) return;
  event.preventDefault();
  openSearch("query");
  id("query").select();
});

// Back and forward: only the difference is fetched; a search is restored from the log.
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
flush();
if (here.startsWith("quote-")) quoted("showQuote", here.slice(6));
else if (root()) settle(here, before?.scroll);
