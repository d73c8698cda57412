// The panel with the guidelines: loaded when first opened.
import { announce } from "../../shared/announce.js";
import { badge, memory, panel } from "./guidelines-state.js";
import { tell } from "../../shared/toast.js";

let opener = null;

function choose(tab, focus = true) {
  for (const each of panel.querySelectorAll("[role=tab]")) {
    const chosen = each === tab;
    each.setAttribute("aria-selected", String(chosen));
    each.tabIndex = chosen ? 0 : -1;
    document.getElementById(each.getAttribute("aria-controls")).hidden = !chosen;
  }
  if (focus) tab.focus();
}

export async function open(focus = true) {
  if (!panel.childElementCount) {
    const response = await fetch(panel.dataset.url, { headers: { "HX-Request": "true" } }).catch(() => null);
    if (!response) return tell("The guidelines could not be opened: there is no connection.");
    if (!response.ok) return location.assign(panel.dataset.url);
    panel.innerHTML = await response.text();
    const first = panel.querySelector("[role=tab]");
    if (first) choose(first, false);
  }
  panel.hidden = false;
  if (focus) panel.focus();
  memory({ open: true, at: Date.now(), version: panel.dataset.version });
  badge();
}

function close() {
  panel.hidden = true;
  memory({ open: false, at: Date.now() });
  opener?.focus();
  announce("Guidelines closed.");
}

export function toggle(link) {
  opener = link.checkVisibility() ? link : document.querySelector("[popovertarget=more]");
  if (panel.hidden) open(); else close();
}

panel.addEventListener("click", (event) => {
  if (event.target.closest("[data-close-guidelines]")) close();
  const tab = event.target.closest("[role=tab]");
  if (tab) choose(tab);
});
panel.addEventListener("keydown", (event) => {
  if (event.key === "Escape") return close();
  const tabs = [...panel.querySelectorAll("[role=tab]")], at = tabs.indexOf(event.target);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (at < 0 || !step) return;
  event.preventDefault();
  choose(tabs[(at + step + tabs.length) % tabs.length]);
});
