// A time limit that nothing stops: counts down by the server's clock, says what is left at few
// moments, and at the end submits what is there. The server submits the last draft if this does not.
import { announce } from "../../shared/announce.js";
import { save } from "./draft.js";
import { form } from "../sheets/stage.js";

// What is said when this many seconds are left: once, and only where it was reached on this page.
const SAID = [[300, "5 minutes left."], [60, "1 minute left."], [15, "15 seconds left."]];
const LAST = 60, SAVED_AT = 3, ALIVE = 60;
const clock = () => document.getElementById("clock");

// The difference between the two clocks, measured again whenever the server says what time it is.
let told = "", skew = 0, before = Infinity, finished = false, active = true;

function left() {
  const { ends, now } = clock().dataset;
  if (told !== now) {
    // The first time is as old as the page is: by the browser's measure of its own start.
    const age = told ? 0 : performance.now() - (performance.getEntriesByType("navigation")[0]?.responseStart ?? 0);
    skew = new Date(now).getTime() - (Date.now() - age);
    told = now;
  }
  return (new Date(ends).getTime() - Date.now() - skew) / 1000;
}

export function face(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function end() {
  finished = true;
  announce("Your time has ended. What you have written is being submitted.");
  // Nothing may be lost that is on its way into the form, such as a word not yet committed.
  if (form.contains(document.activeElement)) document.activeElement.blur();
  document.querySelector("[data-submit]")?.click();
  for (const part of document.querySelectorAll("#write, #checks")) part.inert = true;
}

function tick() {
  if (!clock() || finished) return;
  const seconds = left();
  clock().querySelector("[data-left]").textContent = face(seconds);
  clock().querySelector(".fill")?.setAttribute("width", Math.max(0, Math.min(100, 100 * seconds / Number(clock().dataset.limit))));
  clock().classList.toggle("last", seconds <= LAST);
  const said = SAID.filter(([at]) => before > at && seconds <= at).at(-1);
  if (said && before !== Infinity && seconds > 0) announce(said[1]);
  // What is being typed is on the server before the end, whatever happens then.
  if (before > SAVED_AT && seconds <= SAVED_AT && seconds > 0) save();
  before = seconds;
  if (seconds <= 0) end();
}

if (clock() && form) {
  tick();
  setInterval(tick, 250);
  // A browser slows timers of hidden pages down, and stops them while the device sleeps.
  document.addEventListener("visibilitychange", () => document.hidden || tick());
  // Reading counts as work, too: a sign of life once a minute while the person is there.
  for (const kind of ["keydown", "pointerdown", "pointermove", "wheel", "touchmove"]) {
    addEventListener(kind, () => { active = true; }, { passive: true });
  }
  setInterval(() => {
    if (!active || document.hidden || finished) return;
    active = false;
    htmx.trigger(".masthead", "ambit:alive");
  }, ALIVE * 1000);
}
