// A file that is dropped on [data-drop] is the one of its field, and is sent at once.
const target = document.querySelector("[data-drop]");
const field = target.querySelector("input[type=file]");

target.addEventListener("dragover", (event) => event.preventDefault());
target.addEventListener("drop", (event) => {
  if (event.dataTransfer.files.length !== 1) return;
  event.preventDefault();
  field.files = event.dataTransfer.files;
  field.dispatchEvent(new Event("change"));
});
field.addEventListener("change", () => {
  if (field.files.length && !field.form.elements.lines.value.trim()) field.form.requestSubmit();
});
