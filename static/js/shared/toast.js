// Notes at the lower edge that go after ten seconds: actions with an undo, failures with a
// retry. And the parts that a notice is made of.
import { announce } from "./announce.js";

const SECONDS = 10;

export function icon(name) {
  const sign = document.querySelector("svg.icon").cloneNode(true), use = sign.firstElementChild;
  use.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#i-${name}`));
  return sign;
}

// A button for (label, function), a link for (label, address).
export function way(label, act) {
  const away = typeof act === "string", node = document.createElement(away ? "a" : "button");
  Object.assign(node, { className: "button small", textContent: label }, away ? { href: act } : { type: "button" });
  if (!away) node.addEventListener("click", act);
  return node;
}

// A note goes after its time, but not while a person is on its button.
function passing(note) {
  let timer;
  const hold = () => clearTimeout(timer);
  const close = () => { hold(); note.remove(); };
  const wait = () => { hold(); timer = setTimeout(close, SECONDS * 1000); };
  for (const kind of ["pointerenter", "focusin"]) note.addEventListener(kind, hold);
  for (const kind of ["pointerleave", "focusout"]) note.addEventListener(kind, wait);
  const cross = way("", close);
  cross.classList.add("square");
  cross.setAttribute("aria-label", "Dismiss");
  cross.append(icon("x"));
  note.append(cross);
  wait();
  return close;
}

// The outcome of an earlier press is never shown next to that of a later one.
export function clear() {
  for (const note of document.querySelectorAll(".toast")) note.remove();
}

function show(text, label, act) {
  clear();
  const note = document.createElement("div"), words = document.createElement("span");
  note.className = "toast";
  words.textContent = text;
  note.append(words);
  if (label) note.append(way(label, () => { close(); act(); }));
  const close = passing(note);
  (document.querySelector("main") ?? document.body).append(note);
  announce(label ? `${text} ${label} is at the end of the page, for ten seconds.` : text);
  return note;
}

// Something was done; `label` takes it back.
export const toast = (text, label, act) => show(text, label, act);

// Something failed or was refused. Everyone is told: announce() alone reaches only screen readers.
export function tell(text, label, act) {
  const note = show(text, label, act);
  note.classList.add("problem");
  note.prepend(icon("alert"));
}

for (const note of document.querySelectorAll("#messages .toast")) {
  passing(note);
  // Put in again, so that a screen reader announces it: it was there when the page loaded.
  const words = note.querySelector("p");
  requestAnimationFrame(() => words.replaceWith(words.cloneNode(true)));
}
