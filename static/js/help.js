// Help for the field under hand, always in the same place above the bar.
const help = document.getElementById("help");

document.getElementById("answer")?.addEventListener("focusin", (event) => {
  const name = event.target.dataset.help ?? (event.target.closest(".chips") ? "answer" : "");
  const text = name && document.getElementById(`help-${name}`);
  help.hidden = !text;
  if (text) help.textContent = text.textContent;
});
