// Help for the current field, always in the same place above the bar, so that nothing jumps.
const help = document.getElementById("help");

function show(name) {
  const text = name && document.getElementById(`help-${name}`);
  if (!text) return;
  help.hidden = false;
  help.textContent = text.textContent;
}

if (help) {
  show(help.dataset.first);
  const form = document.getElementById("answer");
  form.addEventListener("focusin", ({ target }) => show(target.dataset.help ?? (target.closest(".chips") ? "answer" : "")));
  form.addEventListener("change", ({ target }) => target.name === "kind" && show(`kind-${target.value}`));
}
