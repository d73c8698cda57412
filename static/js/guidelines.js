// The guidelines beside the work. Open or closed is remembered for a week, per stage of a project.
export const panel = document.getElementById("guidelines");
const WEEK = 7 * 24 * 3600 * 1000;
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

if (panel) {
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("[data-guidelines]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    link.closest("[popover]")?.hidePopover();
    (await import("./guidelines-panel.js")).toggle(link);
  });
  const { open, at = 0 } = memory();
  if (open && Date.now() - at < WEEK && matchMedia("(min-width: 75rem)").matches) {
    import("./guidelines-panel.js").then((module) => module.open(false));
  }
  badge();
}
