// The list of questions: tick every row of the page, and say how many are ticked.
const form = document.querySelector("[data-ticks]");
const rows = [...form.querySelectorAll("[name=question]")];
const every = form.querySelector("[data-tick-all]");
const all = form.querySelector("[data-all]");
const ticked = form.querySelector("[data-ticked]");

function tell() {
  const count = rows.filter((row) => row.checked).length;
  const box = every.querySelector("input");
  box.checked = count === rows.length;
  box.indeterminate = count > 0 && count < rows.length;
  ticked.textContent = all?.checked ? "All that match" : `${count} ticked`;
}

if (rows.length) {
  every.hidden = false;
  every.addEventListener("change", (event) => {
    for (const row of rows) row.checked = event.target.checked;
  });
  form.addEventListener("change", tell);
  tell();
}
