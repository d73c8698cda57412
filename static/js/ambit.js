// What every page needs; pages with more load their own modules beside it.
import "./csrf.js";
import "./panels.js";
import "./keys.js";
import "./announce.js";
import "./times.js";
import { tell } from "./toast.js";

// How much still fits in a field.
document.addEventListener("focusin", ({ target }) => target.maxLength > 0 && import("./limits.js").catch(() => {}));

// What asks in passing (data-quiet) says for itself, or not at all, when it fails.
const quiet = ({ requestConfig: { elt } }) => elt.closest("[data-quiet]");
document.addEventListener("htmx:sendError", ({ detail }) => quiet(detail) || tell("There is no connection. Nothing was sent; try again."));
document.addEventListener("htmx:responseError", ({ detail }) => quiet(detail) || detail.xhr.status === 401 || tell("The server could not answer. Reload the page."));
