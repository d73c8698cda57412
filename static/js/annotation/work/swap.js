// Which parts of a reply htmx may put in: each replaces the part with its id, but never the field
// that a person is typing in, nor anything around it; the view does not move, whatever grows above
// it.
import { localise } from "../../shared/times.js";

const typing = (node) => node.contains(document.activeElement)
  && document.activeElement.matches("input:not([type=radio], [type=checkbox], [type=hidden]), textarea");
const bare = (node) => node.outerHTML.replaceAll(' hx-swap-oob="true"', "");
const place = (part) => part.getAttribute("hx-swap-oob") !== "true" || document.getElementById(part.id);
let fits = () => true, eye = null, top = 0, lost = null;

// Register a check: (part) says whether it may be put in.
export function fitting(rule) { fits = rule; }

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  [eye, lost] = [document.activeElement, null];
  top = eye.getBoundingClientRect().top;
  // Parts that have gone from the page since the request.
  const holder = document.createElement("template");
  holder.innerHTML = detail.serverResponse;
  const gone = [...holder.content.children].filter((part) => !place(part));
  for (const part of gone) part.remove();
  if (gone.length) detail.serverResponse = holder.innerHTML;
});

document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target: now, fragment } = event.detail, part = fragment.firstElementChild;
  if (part?.id !== now.id) return;
  if (typing(now) || !fits(part) || bare(now) === bare(part)) return event.preventDefault();
  if (now.contains(document.activeElement)) lost = [part.id, same(document.activeElement)];
  for (const open of now.querySelectorAll("details[id][open]")) part.querySelector(`#${open.id}`)?.setAttribute("open", "");
  localise(part);
});

// Before the caller continues.
document.addEventListener("htmx:afterRequest", () => {
  if (!eye) return;
  if (lost) refocus(document.getElementById(lost[0]), lost[1]);
  describe();
  const by = eye.isConnected && eye.closest("#answer") ? eye.getBoundingClientRect().top - top : 0;
  const panel = eye.closest(".panel");
  if (by) (!panel || getComputedStyle(panel).overflowY === "visible" ? document.scrollingElement : panel).scrollTop += by;
  eye = null;
}, true);

// The focused element, as a selector that may fit its replacement.
const same = (node) => (node.id ? `#${CSS.escape(node.id)}` : `[value="${CSS.escape(node.value ?? "")}"]`);

// The focused element is gone: its replacement gets the focus, otherwise its part.
function refocus(part, was) {
  const next = part.matches(was) ? part : part.querySelector(was) ?? part.querySelector("summary, a, button");
  if (next) return next.focus();
  document.getElementById(part.dataset.for)?.focus();
}

// Fields say if something is wrong with them, and what.
export function describe() {
  for (const messages of document.querySelectorAll(".messages")) {
    const field = document.getElementById(messages.dataset.for);
    if (!field?.matches("input, textarea")) continue;
    const own = (field.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id.endsWith("-count"));
    const said = [...messages.querySelectorAll("[data-describes]")].map((node) => node.id);
    const ids = [...said, ...own].join(" ");
    if (ids) field.setAttribute("aria-describedby", ids);
    else field.removeAttribute("aria-describedby");
    if (messages.querySelector("[data-error]")) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }
}

describe();
