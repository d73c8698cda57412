// The two doors of a warning, and the way out of an error: mend it in one press, or keep it and say why.
import { replaceForm } from "./chips.js";
import { save } from "./draft.js";
import { choose, form, kind } from "./form.js";
import { toast } from "./toast.js";

function put(field, value) {
  field.value = value;
  field.dataset.touched = "";
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function fix(button) {
  const { fix: name, value, replaces } = button.dataset;
  if (name === "kind") {
    const before = kind();
    choose(value);
    document.getElementById(`kind-${value}`).focus();
    return toast("The kind of answer changed.", "Undo", () => choose(before));
  }
  const field = document.getElementById(name), list = field.closest(".chips");
  field.focus();
  if (!list) {
    const before = field.value;
    put(field, value);
    return toast("The question changed.", "Undo", () => { put(field, before); field.focus(); });
  }
  const before = [...list.children].slice(0, -1), typed = field.value;
  replaceForm(list, replaces, value);
  put(field, field.value);
  toast("The answer changed.", "Undo", () => {
    list.querySelectorAll(".chip").forEach((chip) => chip.remove());
    list.prepend(...before);
    put(field, typed);
    field.focus();
  });
}

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
  if (!button) return;
  if ("fix" in button.dataset) { event.preventDefault(); fix(button); }
  else if (button.value === "keep") { event.preventDefault(); keep(button.closest("details")); }
});

form?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.name === "keep-reason" && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    keep(event.target.closest("details"));
  }
});
