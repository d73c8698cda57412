// Keys that work everywhere. Single keys never fire while a person types, and can be switched
// off (WCAG 2.1.4).
const TYPING = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";

export function singleKey(event) {
  return !(event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented
    || event.target.matches?.(TYPING) || document.body.dataset.keys === "off");
}

// Each key of a part of the page for this person, followed by the name of its shortcut.
export const pairsOf = (part) => ["", ...(part?.dataset.shortcuts ?? "").split(" ")];
const PAIRS = pairsOf(document.getElementById("keys"));

export const shortcut = (event, pairs = PAIRS) => singleKey(event) && pairs[pairs.indexOf(event.key) + 1];

function nextPanel(backwards) {
  const panels = [...document.querySelectorAll("[data-panel]")].filter((panel) => panel.checkVisibility());
  if (!panels.length) return false;
  const at = panels.findIndex((panel) => panel.contains(document.activeElement));
  const step = backwards ? -1 : 1;
  const next = panels[(at + step + panels.length) % panels.length];
  if (!next.hasAttribute("tabindex")) next.tabIndex = -1;
  next.focus();
  return true;
}

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
    const submit = document.querySelector("[data-submit]");
    if (submit) { event.preventDefault(); submit.click(); }
  } else if (event.key === "F6" && nextPanel(event.shiftKey)) {
    event.preventDefault();
  } else if (shortcut(event) === "help") {
    // Through its button, so that it opens next to it.
    document.querySelector('[popovertarget="keys"]')?.click();
  } else if (shortcut(event) === "last") {
    document.querySelector('[popovertarget="last"]')?.click();
  }
});
