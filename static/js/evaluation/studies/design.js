// Changes of a study's design are saved by htmx while somebody types; the attributes of the form say
// when. This tells it when to stop, and people when a save has failed.
const form = document.getElementById("design");
let leaving = false;

// A press sends all that is typed. A save that came after it would meet a study that has started.
form.addEventListener("submit", () => { leaving = true; htmx.trigger(form, "htmx:abort"); });
form.addEventListener("htmx:beforeRequest", (event) => leaving && event.preventDefault());
window.addEventListener("pageshow", () => { leaving = false; });

const say = (text) => { document.getElementById("save-state").textContent = text; };
form.addEventListener("htmx:sendError", () => say("Not saved: there is no connection. Your next change is sent with all others."));
form.addEventListener("htmx:responseError", () => say("Not saved: the server could not answer. Reload the page to see what is kept."));
