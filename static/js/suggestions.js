// Suggestions of a model. The server makes the pair of one that is accepted, with its evidence, and
// sends it with its reply; here it gets its number, and the cursor where it is edited first.
import { announce } from "./announce.js";
import { questionOf, renumber } from "./form.js";
import { form } from "./stage.js";

let pressed = "";

form.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=action]");
  if (button) pressed = button.value.split(" ")[0];
});

// After swap.js has put the focus back.
document.addEventListener("htmx:afterRequest", () => {
  const origin = document.querySelector("#pairs [data-made]"), pair = origin?.closest("[data-pair]");
  if (!pair) return;
  delete origin.dataset.made;
  pair.dataset.pair = "";
  renumber();
  announce(`This is now pair ${pair.dataset.pair}.`);
  if (pressed === "edit-suggestion") questionOf(pair).focus();
  else pair.scrollIntoView({ block: "nearest" });
});
