// Fix an error or a warning with one press. (A warning can also be kept.)
import { replaceForm } from "../sheets/chips.js";
import { choose, kind } from "./form.js";
import { form } from "../sheets/stage.js";
import { toast } from "../../shared/toast.js";

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

form?.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button && "fix" in button.dataset) { event.preventDefault(); fix(button); }
});
