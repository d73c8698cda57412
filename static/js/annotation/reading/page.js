// The page that is open and what belongs to it: its path, the quotes of this work on it, its entry
// in the browser's history. Parts of it are replaced as they come from the server.
import { token } from "../../shared/csrf.js";
import { scroller } from "./text.js";

const id = (name) => document.getElementById(name);
export const { work } = id("reading").dataset;
// The scroll position of each page when it was left.
export const positions = new Map();
// The quotes of this work on the open page, as sent by the server.
export const quotes = [];

export const path = () => id("reader").dataset.path;
export const post = (to, body, more) => fetch(work + to, { method: "POST", headers: { "X-CSRFToken": token(), Accept: "application/json" }, body, ...more });
export const readQuotes = () => quotes.splice(0, quotes.length, ...JSON.parse(id("page-quotes")?.textContent ?? "[]"));

// Put each part of a reply in the place of the part with its id.
export function put(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const parts = [...holder.content.children].filter((part) => id(part.id));
  for (const part of parts) id(part.id).replaceWith(part);
  for (const row of document.querySelectorAll("#results .result")) {
    const open = row.dataset.path === path(), link = row.querySelector("a"), read = row.querySelector("[data-read]");
    const time = document.querySelector(`#history [data-path="${CSS.escape(row.dataset.path)}"]`)?.dataset.readFor ?? "";
    row.classList.toggle("open", open);
    if (open) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    read.hidden = !time;
    read.textContent = `Read for ${time}`;
  }
  id("to-results").hidden = !document.querySelector("#results .result");
  return parts;
}

export const state = (anchor = "") => ({ page: path(), search: id("results").dataset.search, anchor, scroll: 0 });

export function push(anchor) {
  const { page, search } = state();
  const query = new URLSearchParams(Object.entries({ page, search }).filter(([, value]) => value));
  history.pushState(state(anchor), "", `${work}?${query}${anchor ? `#${encodeURIComponent(anchor)}` : ""}`);
}

// Where the reader is, kept with the entry of the history and with the page.
export function remember() {
  const scroll = scroller().scrollTop;
  positions.set(path(), scroll);
  if (history.state?.search !== undefined) history.replaceState({ ...history.state, scroll }, "");
}
