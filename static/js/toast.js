// A note with one way back, for ten seconds: undo instead of "are you sure?".
import { announce } from "./announce.js";

const SECONDS = 10;

export function toast(text, label, act) {
  document.querySelector(".toast")?.remove();
  const note = document.createElement("div");
  note.className = "toast";
  const words = document.createElement("span");
  words.textContent = text;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small";
  button.textContent = label;
  note.append(words, button);
  const close = () => { clearTimeout(timer); note.remove(); };
  let timer = setTimeout(close, SECONDS * 1000);
  // Nobody loses the button while they are on it.
  const hold = () => clearTimeout(timer);
  const go = () => { clearTimeout(timer); timer = setTimeout(close, SECONDS * 1000); };
  note.addEventListener("pointerenter", hold);
  note.addEventListener("focusin", hold);
  note.addEventListener("pointerleave", go);
  note.addEventListener("focusout", go);
  button.addEventListener("click", () => { close(); act(); });
  (document.querySelector("main") ?? document.body).append(note);
  announce(`${text} ${label} is at the end of the page, for ten seconds.`);
}
