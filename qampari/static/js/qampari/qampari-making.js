// Judging by keyboard: a digit chooses in the row with the focus, or in the first that is open, and
// the focus goes on. Of a sampled question a verdict that asks for nothing more is saved at once.
import { announce } from "../shared/announce.js";
import { singleKey } from "../shared/keys.js";

const review = document.getElementById("review-form");
const rows = () => [...document.querySelectorAll("[data-digits]")];
const radios = (row) => [...row.querySelectorAll("[type=radio]")];
const chosen = (row) => radios(row).find((radio) => radio.checked);

function enter(row) {
  (chosen(row) ?? radios(row)[0]).focus({ preventScroll: true });
  row.closest("li")?.scrollIntoView({ block: "nearest" });
}

function choose(row, radio) {
  radio.click();
  if (review) {
    const asked = document.getElementById(radio.dataset.then);
    if (asked) asked.focus();
    else review.requestSubmit();
    return;
  }
  announce(radio.parentElement.firstChild.nextSibling.textContent.trim());
  const next = rows()[rows().indexOf(row) + 1];
  if (next) enter(next);
}

document.addEventListener("keydown", (event) => {
  if (!singleKey(event) || document.querySelector(":popover-open")) return;
  const row = event.target.closest?.("[data-digits]") ?? rows().find((each) => !chosen(each)) ?? (review && rows()[0]);
  const radio = row && radios(row).find(({ dataset }) => dataset.digit === event.key);
  if (!radio) return;
  event.preventDefault();
  choose(row, radio);
});
