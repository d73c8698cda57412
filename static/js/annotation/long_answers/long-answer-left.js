// The left column: the disambiguations, and in their place the article that is open or the search.
import { shortcut } from "../../shared/keys.js";
import { show } from "../../shared/panels.js";

const id = (name) => document.getElementById(name);
const bench = document.querySelector(".composing"), disambiguations = id("disambiguations");

if ("article" in bench.dataset) show("read");

function back() {
  show("disambiguations");
  disambiguations.focus();
}

document.querySelector("[data-way-back]")?.addEventListener("click", (event) => {
  event.preventDefault();
  back();
});

document.addEventListener("ambit:read", () => {
  const title = id("article-title")?.textContent;
  for (const row of disambiguations?.querySelectorAll("[data-title]") ?? []) if (row.dataset.title === title) row.lastElementChild.textContent = "you read this";
});

// Go back to before anything was searched or opened, when the disambiguations were shown.
addEventListener("popstate", ({ state }) => disambiguations && state && !state.page && !state.search && setTimeout(() => {
  if (id("search").matches(":popover-open")) id("search").hidePopover();
  back();
}));

const KEYS = {
  disambiguations: () => disambiguations && back(),
  text: () => { show("write"); id("long-answer").focus(); },
};
document.addEventListener("keydown", (event) => {
  const does = KEYS[shortcut(event)];
  if (!does || event.target.closest("[popover]")) return;
  event.preventDefault();
  does();
});
