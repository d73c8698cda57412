// What every page needs; pages with more load their own modules beside it.
import "./csrf.js";
import "./panels.js";
import "./keys.js";
import "./announce.js";
import "./times.js";
import { tell } from "./toast.js";

// How much still fits in a field.
document.addEventListener("focusin", ({ target }) => target.maxLength > 0 && import("./limits.js").catch(() => {}));

document.addEventListener("htmx:sendError", () => tell("There is no connection. Nothing was sent; try again."));
document.addEventListener("htmx:responseError", ({ detail }) => detail.xhr.status !== 401 && tell("The server could not answer. Reload the page."));
