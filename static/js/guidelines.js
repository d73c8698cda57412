// The guidelines beside the work: loaded when first wanted; open or closed is remembered for a week.
import { announce } from "./announce.js";

const panel = document.getElementById("guidelines");
const WEEK = 7 * 24 * 3600 * 1000;
const name = `ambit-guidelines-${panel?.dataset.key}`;
let opener = null;

function memory(change) {
  let found = {};
  try {
    found = JSON.parse(localStorage.getItem(name)) ?? {};
    if (change) localStorage.setItem(name, JSON.stringify(Object.assign(found, change)));
  } catch { /* nothing is remembered then */ }
  return found;
}

function choose(tab, focus = true) {
  for (const each of panel.querySelectorAll("[role=tab]")) {
    const chosen = each === tab;
    each.setAttribute("aria-selected", String(chosen));
    each.tabIndex = chosen ? 0 : -1;
    document.getElementById(each.getAttribute("aria-controls")).hidden = !chosen;
  }
  if (focus) tab.focus();
}

async function open(focus = true) {
  if (!panel.childElementCount) {
    const response = await fetch(panel.dataset.url, { headers: { "HX-Request": "true" } });
    if (!response.ok || response.redirected) return location.assign(panel.dataset.url);
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

function badge() {
  const isNew = panel.dataset.version !== "0" && memory().version !== panel.dataset.version;
  for (const each of document.querySelectorAll("[data-new-guidelines]")) each.hidden = !isNew;
}

if (panel) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-guidelines]");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      link.closest("[popover]")?.hidePopover();
      opener = link.checkVisibility() ? link : document.querySelector("[popovertarget=more]");
      if (panel.hidden) open(); else close();
    }
    if (event.target.closest("[data-close-guidelines]")) close();
    const tab = event.target.closest("#guidelines [role=tab]");
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
  const { open: wasOpen, at = 0 } = memory();
  if (wasOpen && Date.now() - at < WEEK && matchMedia("(min-width: 75rem)").matches) open(false);
  badge();
}
