// Saves the form while somebody types, and keeps on this device whatever the server has not
// acknowledged. One request at a time; the server's version says whether another window was faster.
import { announce } from "./announce.js";
import { goTo, show } from "./panels.js";
import { form, stage } from "./stage.js";
import { describe, swap } from "./swap.js";
import { localTime } from "./times.js";

const DRAFT = form?.getAttribute("action");
const WAIT = 800;
const RETRIES = [2, 5, 10, 30];
const KEY = `ambit-draft-${form?.dataset.assignment}`;
let edits = 0, acknowledged = 0, failures = 0;
let timer, waiting, resting, stopped = false, tried = false, leaving = false;
let queue = Promise.resolve();

const notices = document.getElementById("notices");
const unsent = () => edits !== acknowledged;
const heading = document.title.replace(/^Error: /, "");

function tell(text) {
  const place = document.querySelector("#save-state span");
  if (place && place.textContent !== text) place.textContent = text;
}

export function notice(id, tone, text, ...buttons) {
  document.getElementById(id)?.remove();
  const box = document.createElement("div");
  box.id = id;
  box.className = `banner ${tone}`;
  box.setAttribute("role", "group");
  const sign = document.querySelector("#save-state .icon")?.cloneNode(true), use = sign?.firstElementChild;
  use?.setAttribute("href", use.getAttribute("href").replace(/#.*/, tone === "error" ? "#i-error" : "#i-alert"));
  const words = document.createElement("p");
  words.textContent = text;
  const row = document.createElement("div");
  row.className = "row";
  for (const [label, act] of buttons) {
    const button = document.createElement(typeof act === "string" ? "a" : "button");
    button.className = "button small";
    button.textContent = label;
    if (typeof act === "string") button.href = act;
    else { button.type = "button"; button.addEventListener("click", () => { box.remove(); act(); }); }
    row.append(button);
  }
  box.append(...(sign ? [sign] : []), words, row);
  notices.append(box);
  announce(text);
  return box;
}

// --- this device ----------------------------------------------------------------------------

const store = {
  get() { try { return JSON.parse(localStorage.getItem(KEY)); } catch { return null; } },
  set() { try { localStorage.setItem(KEY, JSON.stringify({ at: Date.now(), entries: stage.entries() })); } catch { /* full or forbidden: the server has the rest */ } },
  drop() { try { localStorage.removeItem(KEY); } catch { /* forbidden */ } },
};

const plain = (list) => JSON.stringify(list.map(([name, value]) => [name, value.replace(/\s+/g, " ").trim()])
  .filter(([name, value]) => value && !name.endsWith("-quote")).sort());

function offerBack() {
  const kept = store.get();
  if (!kept?.entries || !stage.fill) return;
  if (plain(kept.entries) === plain(stage.entries())) return store.drop();
  notice("kept", "warning", `Text from ${localTime(new Date(kept.at))} was kept on this device.`,
    ["Put it back", () => { stage.fill(kept.entries); announce("Your text is back."); form.querySelector("textarea").focus(); }],
    ["Discard", () => { store.drop(); form.querySelector("textarea").focus(); }]);
}

// --- the server -----------------------------------------------------------------------------

function body(press) {
  const data = new URLSearchParams(new FormData(form));
  if (press) data.append("action", press);
  for (const field of form.querySelectorAll("[data-touched]")) data.append("touched", field.id);
  if (tried) data.append("tried", "1");
  return data;
}

function unreachable(text) {
  if (!failures) announce(text);
  tell(text);
  failures += 1;
  clearTimeout(waiting);
  waiting = setTimeout(save, RETRIES[Math.min(failures, RETRIES.length) - 1] * 1000);
  return null;
}

function refused(html) {
  stopped = true;
  tell("Not saved");
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const conflict = holder.content.querySelector("#conflict");
  if (conflict) {
    document.getElementById("conflict")?.remove();
    notices.append(conflict);
    conflict.focus();
    show("write");
    return;
  }
  const sentence = holder.content.querySelector("#denied p")?.textContent;
  notice("refused", "error", sentence ?? "This could not be saved. Your text is kept on this device.",
    ["Show where this question stands", form.dataset.page]);
}

async function send(url, keepalive = false, press = "") {
  const sent = edits, seen = stage.shape(), submitting = url !== DRAFT;
  const slow = setTimeout(() => tell("Saving…"), 400);
  let response, html;
  try {
    response = await fetch(url, { method: "POST", body: body(press), headers: { "HX-Request": "true" }, keepalive });
    html = await response.text();
  } catch {
    return unreachable("Offline, kept on this device");
  } finally {
    clearTimeout(slow);
  }
  if (response.status === 401) {
    stopped = true;
    tell("Signed out, kept on this device");
    notice("signed-out", "warning", "You are signed out. Your text is kept on this device.", ["Sign in", response.headers.get("HX-Redirect")]);
    return null;
  }
  if (response.status >= 500 || response.status === 429) return unreachable("Not saved yet, kept on this device");
  if (response.status !== 422 && !response.ok) { refused(html); return null; }
  if (failures) announce("Saved again.");
  failures = 0;
  clearTimeout(waiting);
  if (submitting && response.status === 422) tried = true;
  swap(html, (part) => stage.fits(part, seen === stage.shape(), sent === edits));
  rest();
  document.title = (document.getElementById("problems") ? "Error: " : "") + heading;
  if (response.ok) {
    acknowledged = sent;
    if (unsent()) plan(); else store.drop();
  }
  return response;
}

function plan() {
  clearTimeout(timer);
  timer = setTimeout(save, WAIT);
}

// Send what is in the form now, after whatever is on its way.
export function save() {
  clearTimeout(timer);
  queue = queue.then(() => (stopped || leaving ? null : send(DRAFT)));
  return queue;
}

// Send what is in the form with a press on one of its buttons, which the server answers.
export function press(action) {
  clearTimeout(timer);
  queue = queue.then(() => (stopped || leaving ? null : send(DRAFT, false, action)));
  return queue;
}

export function stop() { stopped = true; clearTimeout(timer); }

export function leave(go) {
  leaving = true;
  acknowledged = edits;
  go();
}

// --- what sets it off -------------------------------------------------------------------------

function edited() {
  if (stopped) return store.set();
  edits += 1;
  store.set();
  plan();
}

// One clear answer needs a minute of reading (A17): ask again when it has passed.
function rest() {
  clearTimeout(resting);
  const wait = Number(document.getElementById("checks-card")?.dataset.wait ?? 0);
  if (wait > 0) resting = setTimeout(save, (wait + 1) * 1000);
}

let submitting = false;

async function submit() {
  if (submitting) return;
  submitting = true;
  const button = document.querySelector("[data-submit]");
  button.setAttribute("aria-busy", "true");
  clearTimeout(timer);
  await queue;
  const response = await (queue = stopped ? Promise.resolve(null) : send(button.formAction));
  submitting = false;
  button.removeAttribute("aria-busy");
  if (!response) return;
  const next = response.headers.get("HX-Redirect");
  if (next) return leave(() => location.assign(next));
  for (const field of form.querySelectorAll("input[id], textarea[id]")) field.dataset.touched = "";
  describe();
  const problems = document.getElementById("problems");
  if (problems) goTo(problems);
}

if (form) {
  form.addEventListener("input", edited);
  form.addEventListener("ambit:changed", edited);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [action, version] = event.submitter?.value?.split(" ") ?? [];
    if (action === "overwrite") {
      document.getElementById("version").value = version;
      document.getElementById("conflict").remove();
      stopped = false;
      edits += 1;
      save();
    } else if (event.submitter?.matches("[data-submit]")) submit();
    else save();
  });
  form.addEventListener("focusout", (event) => {
    const field = event.target;
    if (!field.matches("textarea, input[id]") || !field.closest(".field")) return;
    if (!field.value.trim() && !field.closest(".chips")?.querySelector(".chip")) return;
    if ("touched" in field.dataset) return;
    field.dataset.touched = "";
    if (!stopped) plan();
  });
  notices.addEventListener("click", (event) => {
    if (event.target.closest("[data-take]")) { store.drop(); leaving = true; acknowledged = edits; }
  });
  document.addEventListener("ambit:read", () => save());
  addEventListener("online", () => failures && save());
  document.addEventListener("visibilitychange", () => document.hidden && unsent() && save());
  addEventListener("pagehide", () => unsent() && !stopped && send(DRAFT, true));
  addEventListener("beforeunload", (event) => { if (unsent() && !leaving) event.preventDefault(); });
  document.addEventListener("submit", async (event) => {
    const other = event.target;
    if (!other.matches("[data-leaves]")) return;
    event.preventDefault();
    const pressed = event.submitter;
    if (unsent()) await save();
    // submit() alone would not say which button it was.
    if (pressed?.name) other.append(Object.assign(document.createElement("input"), { type: "hidden", name: pressed.name, value: pressed.value }));
    leave(() => other.submit());
  });
  offerBack();
  rest();
}
