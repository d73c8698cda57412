// The panel with the guidelines, and its state as remembered on this device.
export const panel = document.getElementById("guidelines");
const name = `ambit-guidelines-${panel?.dataset.key}`;

export function memory(change) {
  let found = {};
  try {
    found = JSON.parse(localStorage.getItem(name)) ?? {};
    if (change) localStorage.setItem(name, JSON.stringify(Object.assign(found, change)));
  } catch { /* nothing is remembered then */ }
  return found;
}

export function badge() {
  const isNew = panel.dataset.version !== "0" && memory().version !== panel.dataset.version;
  for (const each of document.querySelectorAll("[data-new-guidelines]")) each.hidden = !isNew;
}
