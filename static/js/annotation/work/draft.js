// The form's attributes say when it is saved, in which order, and where a reply goes
// (hx-trigger, hx-sync, hx-swap-oob). This does what htmx is not made for: text the server has not
// acknowledged is kept on this device and tried again, and people are told the outcome. The
// server's version number shows whether another window saved first.
import { announce } from "../../shared/announce.js";
import { token } from "../../shared/csrf.js";
import { goTo, show } from "../../shared/panels.js";
import { form, stage } from "../sheets/stage.js";
import { canCarry, carry } from "./carry.js";
import { describe, fitting } from "./swap.js";
import { localTime } from "../../shared/times.js";
import { clear, icon, tell, way } from "../../shared/toast.js";

const DRAFT = form?.getAttribute("action");
const RETRIES = [2, 5, 10, 30];
const KEY = `ambit-draft-${form?.dataset.assignment}`;
let edits = 0, acknowledged = 0, failures = 0;
let waiting, resting, stopped = false, tried = false, leaving = false;
// The request under way, whether a save waits behind it, and the press that is being answered.
let under = null, queued = false, pressing = null;
// Saves requested, and callbacks waiting for one of them: [number, function].
let asked = 0, ends = [];

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

const buttonOf = ({ triggeringEvent: event }) => (event?.type === "submit" ? event.submitter : null);

// The button whose press the server answers: not one that only saves, such as Enter in a field.
export function pressed(config) {
  const button = buttonOf(config);
  return button && button.value !== "save" ? button : null;
}

const submits = (config) => Boolean(buttonOf(config)?.matches("[data-submit]"));

// What the form sends besides its fields.
function complete(values, button) {
  values.delete("action");
  if (button?.name && !button.value.startsWith("overwrite")) values.set("action", button.value);
  for (const field of form.querySelectorAll("[data-touched]")) values.append("touched", field.id);
  if (tried) values.append("tried", "1");
  return values;
}

function unreachable(why, text, config) {
  if (submits(config)) atSubmit("not-submitted", `${why} Your text is kept on this device.`, ["Try again", submit]);
  else if (pressed(config)) tell(`Nothing was changed. ${why} Your text is kept on this device.`);
  else if (!failures) announce(text);
  state(text);
  failures += 1;
  clearTimeout(waiting);
  waiting = setTimeout(save, RETRIES[Math.min(failures, RETRIES.length) - 1] * 1000);
}

function signedOut(submitting, address) {
  const where = new URL(address, location.href);
  const text = "You are signed out, and your text is kept on this device. Sign in again in another tab, then continue here.";
  where.searchParams.set("next", "/");
  stopped = true;
  state("Signed out, kept on this device");
  const again = ["Sign in", where.href];
  const box = submitting ? atSubmit("signed-out", text, again, ["Submit again", submit]) : notice("signed-out", "warning", text, again, ["Continue", goOn]);
  box.querySelector("a").target = "_blank";
}

function goOn() {
  stopped = false;
  edits += 1;
  save();
}

// The sentence of a refusal; nothing if the reply is not one.
export function refusal(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content.querySelector("#denied p")?.textContent;
}

// The server may still keep a refused submission as a draft.
function refused(reply, submitting) {
  const sentence = refusal(reply) ?? "Your text is kept on this device.";
  const where = ["Show this question’s state", form.dataset.page];
  if (submitting) {
    edits += 1;
    atSubmit("refused", sentence, where);
    save();
  } else {
    stopped = true;
    state("Not saved, kept on this device");
    notice("refused", "error", sentence, where);
  }
}

// The other window's version goes to the notices, and nothing is saved until the person has chosen.
function outrun() {
  document.getElementById("conflict")?.remove();
  stopped = true;
  state("Not saved, kept on this device");
}

// Save what is in the form now, after whatever is under way; ends when it is answered.
export function save() {
  asked += 1;
  const saved = new Promise((done) => { ends.push([asked, done]); });
  htmx.trigger(form, "ambit:save");
  return saved;
}

export function stop() { stopped = true; }

function leave() {
  leaving = true;
  acknowledged = edits;
}

const submit = () => document.querySelector("[data-submit]").click();

function over() {
  const { number, slow, by } = under;
  clearTimeout(slow);
  if (by === pressing) pressing = null;
  under = null;
  for (const [, done] of ends.filter(([mine]) => mine <= number)) done();
  ends = ends.filter(([mine]) => mine > number);
}

// What a reply says about the form as a whole, before its parts are put in.
function answered(event) {
  const { xhr, requestConfig: config } = event.detail, { status } = xhr, submitting = submits(config);
  if (status === 401) { event.preventDefault(); return signedOut(submitting, xhr.getResponseHeader("HX-Redirect")); }
  if (status >= 500 || status === 429) {
    event.preventDefault();
    return unreachable("The server could not answer.", "Not saved yet, kept on this device", config);
  }
  if (status >= 400 && status !== 422) {
    if (/ id="conflict"/.test(xhr.response)) return outrun();
    event.preventDefault();
    return refused(xhr.response, submitting);
  }
  document.getElementById("signed-out")?.remove();
  const late = document.querySelector("#not-submitted p");
  if (late) late.textContent = "Not submitted yet. Your text is saved again.";
  if (failures) announce("Saved again.");
  failures = 0;
  if (pressed(config)) stopped = false;
  document.dispatchEvent(new CustomEvent("ambit:saved"));
  clearTimeout(waiting);
  if (submitting && status === 422) tried = true;
  if (status < 400) {
    acknowledged = under.edits;
    if (!unsent()) store.drop();
    else if (!queued) htmx.trigger(form, "ambit:ask");
  }
  // htmx follows redirects; the server has everything that was typed.
  if (xhr.getResponseHeader("HX-Redirect")) leave();
  const next = xhr.getResponseHeader("Ambit-Page");
  if (!next) return;
  event.preventDefault();
  leave();
  carry(next, xhr);
}

// --- what sets it off -------------------------------------------------------------------------

function edited() {
  store.set();
  if (!stopped) edits += 1;
}

// Whether somebody typed before this ran. A browser that puts old text back leaves the focus
// elsewhere.
const typedEarly = () => form.contains(document.activeElement)
  && [...form.elements].some(({ value, defaultValue = value }) => value !== defaultValue);

// One clear answer needs a minute of reading (A17): ask again when it has passed.
function rest() {
  clearTimeout(resting);
  const wait = Number(document.getElementById("checks-card")?.dataset.wait ?? 0);
  if (wait > 0) resting = setTimeout(save, (wait + 1) * 1000);
}

// A new press: remove the outcome of an earlier one.
function begin(button) {
  const [action, version] = button.value.split(" ");
  if (action === "overwrite") {
    document.getElementById("version").value = version;
    document.getElementById("conflict").remove();
    stopped = false;
    edits += 1;
  }
  if (!button.matches("[data-submit]")) return;
  button.setAttribute("aria-busy", "true");
  clear();
  for (const id of ["not-submitted", "refused", "signed-out"]) document.getElementById(id)?.remove();
}

// The outcome of a press on Submit, once its reply is in place.
function land(button) {
  button.removeAttribute("aria-busy");
  for (const field of form.querySelectorAll("input[id], textarea[id]")) field.dataset.touched = "";
  describe();
  const problems = document.getElementById("problems");
  if (problems) goTo(problems);
}

if (form) {
  fitting((part) => !under || stage.fits(part, under.shape === stage.shape(), under.edits === edits));
  form.addEventListener("input", edited);
  form.addEventListener("ambit:changed", edited);

  // One press at a time is answered, and one save at most waits behind what is under way.
  form.addEventListener("htmx:confirm", (event) => {
    const by = event.detail.triggeringEvent, button = pressed(event.detail);
    if (button) {
      if (pressing && pressing !== by) return event.preventDefault();
      if (!pressing) begin(button);
      pressing = by;
    } else if (under && queued) event.preventDefault();
    else if (by?.type === "input" && !under && !unsent()) event.preventDefault(); // saved meanwhile
    else queued = Boolean(under);
  });
  form.addEventListener("htmx:configRequest", (event) => {
    const config = event.detail, button = pressed(config), by = button && config.triggeringEvent;
    under = { by, number: asked, edits, shape: stage.shape(), slow: setTimeout(() => state("Saving…"), 400) };
    if (leaving || (stopped && !button)) { event.preventDefault(); return over(); }
    // htmx takes the button that last had the focus; only a press tells which one is meant.
    config.path = button?.getAttribute("formaction") ?? DRAFT;
    complete(config.formData, button);
    if (submits(config) && canCarry()) config.headers["Ambit-Next"] = "1";
  });
  form.addEventListener("htmx:beforeOnLoad", answered);
  // Signed out, nothing on the page leads away from what is written here.
  document.addEventListener("htmx:beforeOnLoad", (event) => event.target !== form && event.detail.xhr.status === 401 && event.preventDefault());
  form.addEventListener("htmx:afterRequest", ({ detail }) => {
    const { xhr, requestConfig: config } = detail, button = buttonOf(config);
    over();
    if (button) button.removeAttribute("aria-busy");
    if (!xhr.status) return;
    rest();
    document.title = (document.getElementById("problems") ? "Error: " : "") + heading;
    if (xhr.status === 422 && submits(config)) land(button);
    const conflict = stopped && document.getElementById("conflict");
    if (conflict) { conflict.focus(); show("write"); }
  });
  form.addEventListener("htmx:sendError", (event) => {
    event.stopPropagation();
    unreachable("There is no connection.", "Offline, kept on this device", event.detail.requestConfig);
  });
  form.addEventListener("focusout", (event) => {
    const field = event.target;
    if (!field.matches("textarea, input[id]") || !field.closest(".field")) return;
    if (!field.value.trim() && !field.closest(".chips")?.querySelector(".chip")) return;
    if ("touched" in field.dataset) return;
    field.dataset.touched = "";
    htmx.trigger(form, "ambit:ask");
  });
  notices.addEventListener("click", (event) => {
    if (event.target.closest("[data-take]")) { store.drop(); leave(); }
  });
  addEventListener("online", () => failures && save());
  document.addEventListener("visibilitychange", () => document.hidden && unsent() && save());
  // Not through htmx: only this outlives the page.
  addEventListener("pagehide", () => {
    if (!unsent() || stopped) return;
    const body = complete(new URLSearchParams(new FormData(form)));
    body.set("csrfmiddlewaretoken", token());
    fetch(DRAFT, { method: "POST", body, headers: { "HX-Request": "true" }, keepalive: true }).catch(() => {});
  });
  addEventListener("beforeunload", (event) => { if (unsent() && !leaving) event.preventDefault(); });
  document.addEventListener("submit", async (event) => {
    const other = event.target, button = event.submitter;
    if (!other.matches("[data-leaves]")) return;
    event.preventDefault();
    if (unsent()) await save();
    if (failures || !navigator.onLine) return tell("There is no connection, so this question is still with you. Your text is kept on this device.");
    // submit() alone would not say which button it was.
    if (button?.name) other.append(Object.assign(document.createElement("input"), { type: "hidden", name: button.name, value: button.value }));
    leave();
    other.submit();
  });
  // Once the sheet has said how a form is filled, and htmx listens.
  document.addEventListener("DOMContentLoaded", () => {
    offerBack();
    if (typedEarly()) form.dispatchEvent(new CustomEvent("ambit:changed"));
  });
  rest();
}
