// Until when the question is yours: counts down, warns five minutes before, and offers more time.
import { announce } from "../../shared/announce.js";
import { notice, refusal } from "./draft.js";
import { form } from "../sheets/stage.js";
import { localTime } from "../../shared/times.js";
import { tell } from "../../shared/toast.js";

const WARNING = 5 * 60, EVERY = 60;
const lease = () => document.getElementById("lease");
// The server's clock counts, not this device's.
const skew = lease() ? new Date(lease().dataset.now).getTime() - Date.now() : 0;
let warned = "", active = true;

function left() { return Math.round((new Date(lease().dataset.ends).getTime() - Date.now() - skew) / 1000); }

export function words(seconds) {
  if (seconds < 60) return `${Math.max(0, seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest ? `${Math.floor(minutes / 60)} h ${String(rest).padStart(2, "0")} min` : `${minutes / 60} h`;
}

const remaining = (seconds) => `${words(seconds)} left for this question.`;

const extend = () => lease().querySelector("form[data-extend]").requestSubmit();

// No outcome of these requests leads away from the page.
const ours = ({ requestConfig: { elt } }) => elt.matches(".masthead, [data-extend]") && elt;

function failed(elt) {
  if (elt.matches("[data-extend]")) tell("Your time could not be extended: there is no connection, or you are signed out.", "Try again", extend);
}

document.addEventListener("htmx:beforeOnLoad", (event) => {
  const { xhr } = event.detail, elt = ours(event.detail), sentence = xhr.status >= 400 && refusal(xhr.response);
  if (!elt || xhr.status < 400) return;
  event.preventDefault();
  if (sentence) notice("refused", "error", sentence, ["Show this question’s state", form.dataset.page]);
  else failed(elt);
});
document.addEventListener("htmx:sendError", ({ detail }) => ours(detail) && failed(detail.requestConfig.elt));
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (!ours(detail) || !detail.requestConfig.elt.matches("[data-extend]") || detail.xhr.status !== 200) return;
  document.getElementById("lease-end")?.remove();
  announce(`Yours until ${localTime(new Date(lease().dataset.ends))}.`);
});

function tick() {
  if (!lease()) return;
  const seconds = left(), ends = lease().dataset.ends;
  lease().querySelector("[data-left]").textContent = words(seconds);
  if (seconds <= 0 && warned !== `${ends} over`) {
    warned = `${ends} over`;
    const changes = "change" in lease().dataset;
    notice("lease-end", "error", `Your time ${changes ? "to change it " : ""}ended at ${localTime(new Date(ends))}. Your text is kept.`,
      [changes ? "See what you submitted" : "See whether the question is still free", form.dataset.page]);
  } else if (seconds > 0 && seconds <= WARNING && !warned.startsWith(ends)) {
    warned = ends;
    // A participant's time in a study is not extended.
    notice("lease-end", "warning", remaining(seconds), lease().querySelector("form[data-extend]") && ["Extend", extend]);
  }
  const banner = document.getElementById("lease-end");
  if (seconds > WARNING) banner?.remove();
  else if (banner && seconds > 0) banner.querySelector("p").textContent = remaining(seconds);
}

if (lease() && form) {
  tick();
  setInterval(tick, 5000);
  document.addEventListener("submit", ({ target }) => target.matches("[data-extend]") && target.closest("[popover]")?.hidePopover());
  // Reading counts as work, too: a sign of life once a minute while the person is there.
  for (const kind of ["keydown", "pointerdown", "pointermove", "wheel", "touchmove"]) {
    addEventListener(kind, () => { active = true; }, { passive: true });
  }
  setInterval(() => {
    if (!active || document.hidden || document.querySelector(".bar[inert]") || left() <= 0) return;
    active = false;
    htmx.trigger(".masthead", "ambit:alive");
  }, EVERY * 1000);
}
