// What the pairs can bring after validation, while they are written: the server says the same of what it has.
import { formsIn } from "../sheets/chips.js";
import { kind, pairs } from "./form.js";
import { form } from "../sheets/stage.js";

function written() {
  if (kind() === "multiple") return pairs().filter((pair) => formsIn(pair.querySelector(".chips")).length).length;
  return kind() === "single" && formsIn(form.querySelector("[data-forms=single]")).length ? 1 : 0;
}

function tell() {
  const hint = document.getElementById("pay-hint");
  const { accepted, pairCents, most, currency, open } = hint.dataset;
  const count = Math.min(written(), Number(most));
  const amount = ((Number(accepted) + Number(pairCents) * count) / 100).toFixed(2);
  hint.textContent = count ? `You get up to ${amount} ${currency} after validation.` : open;
}

for (const event of ["input", "change", "ambit:changed"]) form.addEventListener(event, tell);
