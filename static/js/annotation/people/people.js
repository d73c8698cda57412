// The list of members: choose every row that is shown, and say how many are chosen.
const form = document.querySelector("[data-chooses]");
const rows = [...document.querySelectorAll("[name=person]")];
const every = document.querySelector("[data-choose-all]");
const chosen = document.querySelector("[data-chosen]");

function tell() {
  const count = rows.filter((row) => row.checked).length;
  every.checked = count === rows.length;
  every.indeterminate = count > 0 && count < rows.length;
  chosen.textContent = `${count} chosen`;
}

if (form) {
  every.hidden = chosen.hidden = false;
  every.addEventListener("change", () => {
    for (const row of rows) row.checked = every.checked;
    tell();
  });
  for (const row of rows) row.addEventListener("change", tell);
  // The boxes have their old values until the form has been reset.
  form.addEventListener("reset", () => setTimeout(tell));
  tell();
}
