// An item of a qualification: autosave as on the work page, the verdict and the hint in place,
// other items only once the typed text is saved.
import { announce } from "../../shared/announce.js";
import { pressed } from "../work/draft.js";
import { form } from "../sheets/stage.js";

form?.addEventListener("htmx:afterRequest", ({ detail }) => {
  const button = pressed(detail.requestConfig), verdict = document.getElementById("verdict");
  if (!button || detail.xhr.status !== 200) return;
  if ("check" in button.dataset) {
    verdict.scrollIntoView({ block: "nearest" });
    announce(verdict.querySelector("h3")?.textContent ?? "");
  }
  if ("hint" in button.dataset) {
    until = 0;
    count();
  }
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-hint][aria-disabled=true]")) event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  const button = document.querySelector("[data-check]");
  if (button) { event.preventDefault(); button.click(); }
});

// Verdicts of a judging item are radio buttons: draft.js hears their input events.

// The hint opens after its time; the server says so, too.
let timer, until = 0;

function count() {
  clearInterval(timer);
  const place = document.getElementById("hint");
  if (!place) return;
  until ||= Date.now() + Number(place.dataset.wait ?? 0) * 1000;
  const tick = () => {
    const button = document.querySelector("[data-hint]"), words = document.querySelector("[data-hint-wait]");
    if (!button) return clearInterval(timer);
    const left = Math.ceil((until - Date.now()) / 1000);
    if (left > 0) {
      button.setAttribute("aria-disabled", "true");
      words.textContent = left < 60 ? `opens in ${left} s` : `opens in ${Math.ceil(left / 60)} min`;
    } else {
      button.removeAttribute("aria-disabled");
      words.textContent = "";
      clearInterval(timer);
    }
  };
  timer = setInterval(tick, 1000);
  tick();
}

if (form) count();
