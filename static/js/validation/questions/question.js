// Keys on the page of a question: the next and the previous one of the list, and its parts.
import { shortcut } from "../../shared/keys.js";

document.addEventListener("keydown", (event) => {
  const name = shortcut(event);
  if (name === "after" || name === "before") {
    document.querySelector(`[data-beside="${name}"]`)?.click();
  } else if (name === "accepted" || name === "submissions") {
    const part = document.getElementById(name);
    part?.scrollIntoView();
    part?.focus({ preventScroll: true });
  }
});
