// Keys on the page of a question: the next and the previous one of the list, and its parts.
import { singleKey } from "./keys.js";

const PARTS = { a: "accepted", s: "submissions" };
let going = 0;

document.addEventListener("keydown", (event) => {
  if (!singleKey(event)) return;
  if (event.key === "j" || event.key === "k") {
    document.querySelector(`[data-beside="${event.key}"]`)?.click();
  } else if (event.key === "g") {
    going = event.timeStamp;
    return;
  } else if (PARTS[event.key] && going && event.timeStamp - going < 1500) {
    const part = document.getElementById(PARTS[event.key]);
    part?.scrollIntoView();
    part?.focus({ preventScroll: true });
  }
  going = 0;
});
