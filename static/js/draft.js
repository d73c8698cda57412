// Saves the form while somebody types, and keeps on this device whatever the server has not
// acknowledged. One request at a time; the server's version says whether another window was faster.
import { announce } from "./announce.js";
import { token } from "./csrf.js";
import { goTo, show } from "./panels.js";
import { form, stage } from "./stage.js";
import { describe, swap } from "./swap.js";
import { localTime } from "./times.js";
import { clear, icon, tell, way } from "./toast.js";

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

function state(text) {
  const place = document.querySelector("#save-state span");
  if (place && place.textContent !== text) place.textContent = text;
}

function say(place, id, tone, text, ways) {
  document.getElementById(id)?.remove();
  const box = document.createElement("div"), words = document.createElement("p"), row = document.createElement("div");
  Object.assign(box, { id, className: `banner ${tone}` });
  box.setAttribute("role", "group");
  words.textContent = text;
  row.className = "row";
  row.append(...ways.map(([label, act]) => way(label, typeof act === "string" ? act : () => { box.remove(); act(); })));
  box.append(icon(tone === "error" ? "error" : "alert"), words, row);
  place.prepend(box);
  const { top, bottom } = box.getBoundingClientRect();
  if (box.checkVisibility() && top >= 0 && bottom <= innerHeight) announce(text);
  else tell(text, "Show", () => { show("write"); box.scrollIntoView({ block: "center" }); });
  return box;
}

export const notice = (id, tone, text, ...ways) => say(notices, id, tone, text, ways);

// What a press on Submit met, where it was pressed.
const atSubmit = (id, text, ...ways) => say(document.querySelector(".bar"), id, "error", `Not submitted. ${text}`, ways);

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
  data.set("csrfmiddlewaretoken", token());
  if (press) data.append("action", press);
  for (const field of form.querySelectorAll("[data-touched]")) data.append("touched", field.id);
  if (tried) data.append("tried", "1");
  return data;
}

function unreachable(why, text, { submitting, press }) {
  if (submitting) atSubmit("not-submitted", `${why} Your text is kept on this device.`, ["Try again", submit]);
  else if (press) tell(`Nothing was changed. ${why} Your text is kept on this device.`);
  else if (!failures) announce(text);
  state(text);
  failures += 1;
  clearTimeout(waiting);
  waiting = setTimeout(save, RETRIES[Math.min(failures, RETRIES.length) - 1] * 1000);
  return null;
}

function signedOut(submitting, address) {
  const where = new URL(address, location.href);
  const text = "You are signed out, and your text is kept on this device. Sign in again in another tab, then go on here.";
  where.searchParams.set("next", "/");
  stopped = true;
  state("Signed out, kept on this device");
  const again = ["Sign in", where.href];
  const box = submitting ? atSubmit("signed-out", text, again, ["Submit again", submit]) : notice("signed-out", "warning", text, again, ["Go on", goOn]);
  box.querySelector("a").target = "_blank";
}

function goOn() {
  stopped = false;
  edits += 1;
  save();
}

// What the server refuses to accept as submitted it may still keep as a draft.
function refused(html, submitting) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const conflict = holder.content.querySelector("#conflict");
  if (submitting && !conflict) edits += 1;
  else { stopped = true; state("Not saved, kept on this device"); }
  if (conflict) {
    document.getElementById("conflict")?.remove();
    notices.append(conflict);
    conflict.focus();
    show("write");
    return;
  }
  const sentence = holder.content.querySelector("#denied p")?.textContent ?? "Your text is kept on this device.";
  const where = ["Show this question’s state", form.dataset.page];
  if (!submitting) return void notice("refused", "error", sentence, where);
  atSubmit("refused", sentence, where);
  save();
}

async function send(url, keepalive = false, press = "") {
  const sent = edits, seen = stage.shape(), submitting = url !== DRAFT, what = { submitting, press };
  const slow = setTimeout(() => state("Saving…"), 400);
  let response, html;
  try {
    response = await fetch(url, { method: "POST", body: body(press), headers: { "HX-Request": "true" }, keepalive });
    html = await response.text();
  } catch {
    return unreachable("There is no connection.", "Offline, kept on this device", what);
  } finally {
    clearTimeout(slow);
  }
  if (response.status === 401) return signedOut(submitting, response.headers.get("HX-Redirect"));
  if (response.status >= 500 || response.status === 429) return unreachable("The server could not answer.", "Not saved yet, kept on this device", what);
  if (response.status !== 422 && !response.ok) return refused(html, submitting);
  document.getElementById("signed-out")?.remove();
  const late = document.querySelector("#not-submitted p");
  if (late) late.textContent = "Not submitted yet. Your text is saved again.";
  if (failures) announce("Saved again.");
  failures = 0;
  if (submitting || press) stopped = false;
  document.dispatchEvent(new CustomEvent("ambit:saved"));
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

// Send what is in the form with a press on one of its buttons, which the server answers. A press
// is tried again even where saving has stopped: somebody waits for what it says.
export function press(action) {
  clearTimeout(timer);
  queue = queue.then(() => (leaving ? null : send(DRAFT, false, action)));
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
  clear();
  for (const id of ["not-submitted", "refused", "signed-out"]) document.getElementById(id)?.remove();
  await queue;
  const response = await (queue = send(button.formAction));
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
    if (failures || !navigator.onLine) return tell("There is no connection, so this question is still with you. Your text is kept on this device.");
    // submit() alone would not say which button it was.
    if (pressed?.name) other.append(Object.assign(document.createElement("input"), { type: "hidden", name: pressed.name, value: pressed.value }));
    leave(() => other.submit());
  });
  offerBack();
  rest();
}
