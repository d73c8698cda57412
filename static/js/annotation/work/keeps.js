// A warning is kept by saying why: the reason is asked for in place.
import { save } from "./draft.js";
import { form } from "../sheets/stage.js";

async function keep(details) {
  const reason = details.querySelector("[name=keep-reason]");
  if (!reason.value.trim()) return reason.focus();
  // The focus goes first: the part that holds it would stay as it is.
  details.querySelector("summary").focus();
  await save();
}

form?.addEventListener("click", (event) => {
  const summary = event.target.closest(".keep > summary");
  if (summary) {
    // By hand, so that the first letter typed already goes into the box.
    event.preventDefault();
    const details = summary.parentElement;
    details.open = !details.open;
    if (details.open) details.querySelector("input").focus();
  }
  const button = event.target.closest("button");
  if (button?.value === "keep") { event.preventDefault(); keep(button.closest("details")); }
});

form?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.name === "keep-reason" && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    keep(event.target.closest("details"));
  }
});
