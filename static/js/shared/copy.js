// <button data-copy="id"> copies the value of that field, or the text of that list,
// and says so.
import { announce } from "./announce.js";
import { tell } from "./toast.js";

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  if (field.select) field.select();
  else getSelection().selectAllChildren(field);
  try {
    await navigator.clipboard.writeText(field.value ?? field.innerText);
    announce("Copied.");
    button.textContent = "Copied";
  } catch {
    // No clipboard without https: the text is selected, so that Ctrl+C takes it.
    tell("Not copied, but selected: press Ctrl and C.");
  }
});
