// Scripts for every page; pages that need more load modules of their own as well.
import "./csrf.js";
import "./panels.js";
import "./keys.js";
import "./announce.js";
import "./times.js";
import { tell } from "./toast.js";

// How many characters a field still has room for.
document.addEventListener("focusin", ({ target }) => target.maxLength > 0 && import("./limits.js").catch(() => {}));

// Background requests (data-quiet) report their failures themselves, or not at all.
const quiet = ({ requestConfig: { elt } }) => elt.closest("[data-quiet]");
document.addEventListener("htmx:sendError", ({ detail }) => quiet(detail) || tell("There is no connection. Nothing was sent; try again."));
document.addEventListener("htmx:responseError", ({ detail }) => quiet(detail) || detail.xhr.status === 401 || tell("The server could not answer. Reload the page."));

// Others who use this device do not find what somebody wrote (draft.js) once they have signed out.
document.addEventListener("submit", ({ target }) => {
  if (!target.matches("[data-signs-out]")) return;
  try { for (const key of Object.keys(localStorage)) if (key.startsWith("ambit-draft-")) localStorage.removeItem(key); } catch { /* forbidden: there is none */ }
});
