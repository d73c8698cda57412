// While somebody types why they park a question: what the FAQ has on it.
import { announce } from "./announce.js";

const box = document.getElementById("park-reason");
const shown = document.getElementById("park-faq");
const WAIT_MS = 400;
let timer, request;

async function look() {
  request?.abort();
  request = new AbortController();
  const query = new URLSearchParams({ reason: box.value });
  try {
    const answer = await fetch(`${box.dataset.faq}?${query}`, { signal: request.signal, headers: { "HX-Request": "true" } });
    if (!answer.ok) return;
    shown.innerHTML = await answer.text();
    const found = shown.querySelector(".label");
    if (found) announce(found.textContent);
  } catch (error) {
    if (error.name !== "AbortError") shown.replaceChildren(); // offline: parking works all the same
  }
}

box?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(look, WAIT_MS);
});
// It may come while somebody types already.
if (box?.value) look();
