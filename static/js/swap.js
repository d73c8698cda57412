// Put a reply of the server in its places: each part takes the place of the part with its id.
// The field somebody types in is never touched, nor anything around it, and it stays where the eye
// is, whatever grows above it.
import { localise } from "./times.js";

const typing = (node) => node.contains(document.activeElement)
  && document.activeElement.matches("input:not([type=radio], [type=checkbox], [type=hidden]), textarea");

export function swap(html, keep = () => true) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const eye = document.activeElement, at = eye.getBoundingClientRect().top;
  for (const part of [...holder.content.children]) {
    const now = part.id && document.getElementById(part.id);
    if (!now || typing(now) || !keep(part)) continue;
    if (now.outerHTML === part.outerHTML) continue;
    const holds = now.contains(document.activeElement) ? same(document.activeElement) : "";
    for (const open of now.querySelectorAll("details[id][open]")) part.querySelector(`#${open.id}`)?.setAttribute("open", "");
    localise(part);
    now.replaceWith(part);
    if (holds) refocus(part, holds);
  }
  describe();
  const by = eye.isConnected && eye.closest("#answer") ? eye.getBoundingClientRect().top - at : 0;
  const panel = eye.closest(".panel");
  if (by) (!panel || getComputedStyle(panel).overflowY === "visible" ? document.scrollingElement : panel).scrollTop += by;
}

// What the focus is on, as a selector that may fit what takes its place.
const same = (node) => (node.id ? `#${CSS.escape(node.id)}` : `[value="${CSS.escape(node.value ?? "")}"]`);

// What had the focus is gone: what is the same keeps it, else its part.
function refocus(part, was) {
  const next = part.matches(was) ? part : part.querySelector(was) ?? part.querySelector("summary, a, button");
  if (next) return next.focus();
  const field = document.getElementById(part.dataset.for);
  field?.focus();
}

// Fields say that something is wrong with them, and what.
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
