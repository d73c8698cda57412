// Natural Questions: boxes of a page and words of a box, by mouse, touch and keys.
import { shortcut, singleKey } from "../shared/keys.js";
import { form, stage } from "../annotation/sheets/stage.js";
import { tell } from "../shared/toast.js";

const changed = () => form.dispatchEvent(new CustomEvent("ambit:changed"));
const step = form.elements.step.value;
for (const part of document.querySelectorAll("[data-scripted]")) part.hidden = false;
if (document.getElementById("suggestions")) import("../annotation/suggestions/suggestions.js").catch(() => {});

// --- digits choose an option -----------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  if (!singleKey(event) || document.querySelector(":popover-open")) return;
  const radio = form.querySelector(`[data-digit="${CSS.escape(event.key)}"]`);
  if (!radio?.checkVisibility()) return;
  event.preventDefault();
  radio.focus();
  radio.click();
});

// --- the long answer -------------------------------------------------------------------------

function boxes() {
  const page = document.querySelector("[data-boxes]"), all = [...page.querySelectorAll("[data-box]")];
  // Pages have thousands of boxes: nothing is looked for in all of them at each key.
  const boxOf = new Map(all.map((box) => [box.dataset.box, box]));
  const radios = new Map([...page.querySelectorAll('input[name="box"]')].map((radio) => [radio.value, radio]));
  const radioOf = (box) => radios.get(box.dataset.box);
  const none = form.querySelector('input[name="box"][value="none"]');
  const said = document.getElementById("box-said"), nest = document.getElementById("nest");
  const nameOf = (box) => radioOf(box).parentElement.querySelector("span").firstChild.data;
  const around = (box) => box.parentElement.closest("[data-box]");
  const inside = (box) => box.querySelector("[data-box]");
  const words = (box) => `${box.dataset.words} words`;
  let last = null;

  const chosen = () => boxOf.get(page.querySelector('input[name="box"]:checked')?.value) ?? null;

  function line(box, depth) {
    const item = document.createElement("li"), button = document.createElement("button");
    button.type = "button";
    button.className = "button quiet small";
    if (box === chosen()) button.setAttribute("aria-current", "true");
    button.textContent = `${"· ".repeat(depth)}${nameOf(box)}, ${words(box)}`;
    button.addEventListener("click", () => choose(box));
    item.append(button);
    return item;
  }

  function show() {
    const now = chosen(), chain = [];
    page.querySelector(".picked-box")?.classList.remove("picked-box");
    now?.classList.add("picked-box");
    for (let box = now; box; box = around(box)) chain.unshift(box);
    nest.replaceChildren(...chain.map(line));
    nest.parentElement.hidden = !chain.length;
    if (now) last = now;
    const narrower = now && inside(now);
    for (const [name, can] of [["wider", now && around(now)], ["narrower", narrower]]) {
      const button = document.querySelector(`[data-go="${name}"]`);
      if (can) button.removeAttribute("aria-disabled"); else button.setAttribute("aria-disabled", "true");
    }
    said.textContent = now ? `The chosen ${nameOf(now)} has ${words(now)}. ${narrower ? "It has smaller boxes inside." : "It has no smaller box inside."}` : "";
  }

  function choose(box) {
    const radio = radioOf(box);
    radio.checked = true;
    radio.focus({ preventScroll: true });
    box.scrollIntoView({ block: "nearest" });
    show();
    changed();
  }

  // The boxes beside one: those with the same box around them.
  function go(way) {
    const now = chosen() ?? last;
    if (!now) return all[0] && choose(all[0]);
    if (!chosen()) return choose(now);
    const beside = all.filter((box) => around(box) === around(now));
    const to = {
      wider: () => around(now),
      narrower: () => inside(now),
      next: () => beside[beside.indexOf(now) + 1] ?? all.slice(all.indexOf(now) + 1).find((box) => !now.contains(box)),
      previous: () => beside[beside.indexOf(now) - 1] ?? around(now),
    }[way]();
    if (to) choose(to);
    else tell(`There is no ${way === "next" ? "further" : way} box.`);
  }

  page.addEventListener("click", (event) => {
    const box = event.target.closest("[data-box]");
    if (!box || event.target.closest("label") || String(getSelection())) return;
    choose(box);
  });
  document.addEventListener("change", ({ target }) => {
    if (target.name !== "box") return;
    show();
    // Outside the form in the document, so that its events do not reach the form.
    if (page.contains(target)) changed();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-go]");
    if (button) go(button.dataset.go);
  });
  // --- suggestions ---

  // The box that a suggestion names is shown while the suggestion has the focus.
  document.addEventListener("focusin", ({ target }) => {
    page.querySelector(".offered-box")?.classList.remove("offered-box");
    const box = boxOf.get(target.closest?.("[data-place]")?.dataset.place);
    box?.classList.add("offered-box");
    box?.scrollIntoView({ block: "nearest" });
  });
  stage.took = (origin) => {
    const box = boxOf.get(origin.querySelector("[data-box-chosen]")?.dataset.boxChosen);
    if (!box) return "";
    radioOf(box).checked = true;
    box.scrollIntoView({ block: "nearest" });
    show();
    return `The ${nameOf(box)} is your long answer now.`;
  };
  const WAYS = { ArrowLeft: "wider", ArrowRight: "narrower", ArrowUp: "previous", ArrowDown: "next" };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.target.matches?.("textarea, input[type=text]")) return;
    if (event.target.closest?.("[popover]")) return;
    if (WAYS[event.key]) { event.preventDefault(); go(WAYS[event.key]); }
    else if (shortcut(event) === "no_box") { event.preventDefault(); none.focus(); none.click(); }
    else if (event.key === "Enter" && event.target.name === "box") { event.preventDefault(); document.querySelector("[data-submit]").click(); }
  });
  show();
}

// --- the short answer ------------------------------------------------------------------------

function answers() {
  const box = document.getElementById("words"), list = document.getElementById("places");
  const said = document.getElementById("words-said");
  const spans = [...box.querySelectorAll(".word")], of = (at) => Number(spans[at].dataset.token);
  const radio = (value) => form.querySelector(`input[name="answer"][value="${value}"]`);
  let head = 0, anchor = 0, down = null;

  box.setAttribute("role", "listbox");
  box.setAttribute("aria-multiselectable", "true");
  box.setAttribute("aria-label", "Words of the box");
  box.tabIndex = 0;
  spans.forEach((span, at) => { span.id = `word-${at}`; span.setAttribute("role", "option"); });

  const places = () => [...list.querySelectorAll("input")].map(({ value }) => value.split("-").map(Number));
  const within = (at, [start, end]) => of(at) >= start && of(at) < end;
  const textOf = (place) => spans.filter((_, at) => within(at, place)).map(({ textContent }) => textContent).join(" ");

  function show() {
    const all = places(), [low, high] = [Math.min(head, anchor), Math.max(head, anchor)];
    spans.forEach((span, at) => {
      const held = all.some((place) => within(at, place));
      span.classList.toggle("quoted", held);
      span.classList.toggle("reached", at >= low && at <= high);
      span.setAttribute("aria-selected", String(held));
    });
    if (spans[head]) box.setAttribute("aria-activedescendant", spans[head].id);
    for (const item of list.children) {
      const text = textOf(item.querySelector("input").value.split("-").map(Number));
      if (item.querySelector("button")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-label", `Remove ${text}`);
      button.textContent = "×";
      item.prepend(text);
      item.append(button);
    }
  }

  function add(from, to) {
    const start = of(Math.min(from, to)), end = of(Math.max(from, to)) + 1;
    for (const item of [...list.children]) {
      const [a, b] = item.querySelector("input").value.split("-").map(Number);
      if (a < end && start < b) item.remove();
    }
    const item = document.createElement("li"), field = document.createElement("input");
    item.className = "chip";
    Object.assign(field, { type: "hidden", name: "short", value: `${start}-${end}` });
    item.append(field);
    list.append(item);
    radio("words").checked = true;
    show();
    said.textContent = `Short answer: ${textOf([start, end])}.`;
    changed();
  }

  function remove(item) {
    const text = textOf(item.querySelector("input").value.split("-").map(Number));
    item.remove();
    show();
    box.focus();
    said.textContent = `Removed: ${text}.`;
    changed();
  }

  const itemAt = (at) => [...list.children].find((item) => within(at, item.querySelector("input").value.split("-").map(Number)));

  list.addEventListener("click", ({ target }) => { if (target.closest("button")) remove(target.closest("li")); });
  box.addEventListener("keydown", (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (move) {
      head = Math.max(0, Math.min(spans.length - 1, head + move));
      if (!event.shiftKey) anchor = head;
      spans[head].scrollIntoView({ block: "nearest" });
      show();
    } else if (event.key === "Enter" || event.key === " ") {
      const held = anchor === head && itemAt(head);
      if (held) remove(held); else add(anchor, head);
      anchor = head;
    } else if (event.key === "Delete" || event.key === "Backspace") {
      const held = itemAt(head);
      if (held) remove(held);
    } else return;
    event.preventDefault();
  });

  // A pointer draws over words; a press on one alone adds it, or takes its answer away again.
  const wordAt = ({ clientX, clientY }) => spans.indexOf(document.elementFromPoint(clientX, clientY)?.closest(".word"));
  box.addEventListener("pointerdown", (event) => {
    const at = wordAt(event);
    if (at < 0 || event.button) return;
    [down, anchor, head] = [at, at, at];
    box.setPointerCapture(event.pointerId);
    show();
  });
  box.addEventListener("pointermove", (event) => {
    const at = down === null ? -1 : wordAt(event);
    if (at >= 0 && at !== head) { head = at; show(); }
  });
  box.addEventListener("pointercancel", () => { down = null; });
  box.addEventListener("pointerup", () => {
    if (down === null) return;
    const held = head === down && itemAt(head);
    down = null;
    if (held) remove(held); else add(anchor, head);
    anchor = head;
  });
  form.addEventListener("change", ({ target }) => {
    if (target.name !== "answer" || target.value === "words") return;
    list.replaceChildren();
    show();
  });
  show();
  if (!location.hash && document.activeElement === document.body) box.focus({ preventScroll: true });
}

if (step === "long") boxes();
if (step === "short") answers();
stage.fill = null;
document.documentElement.dataset.nq = step;
