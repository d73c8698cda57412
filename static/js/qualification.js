// An item of a qualification: autosave as on the work page, the verdict and the hint in place,
// other items only once what was typed is saved.
import { announce } from "./announce.js";
import { leave, press } from "./draft.js";
import { form } from "./stage.js";

async function does(button) {
  const reply = await press(button.value);
  if (!reply?.ok) return;
  const next = reply.headers.get("HX-Redirect");
  if (next) return leave(() => location.assign(next));
  if ("check" in button.dataset) {
    const verdict = document.getElementById("verdict");
    verdict.scrollIntoView({ block: "nearest" });
    announce(verdict.querySelector("h3")?.textContent ?? "");
  }
  if ("hint" in button.dataset) {
    until = 0;
    count();
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-check], [data-go], [data-hint]");
  if (!button || button.getAttribute("aria-disabled") === "true") return;
  event.preventDefault();
  does(button);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  const button = document.querySelector("[data-check]");
  if (button) { event.preventDefault(); does(button); }
});

// Verdicts of a judging item are radio buttons: draft.js hears their input events by itself.

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
