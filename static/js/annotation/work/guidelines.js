// The guidelines next to the work. Open or closed is remembered for a week, per stage of a project.
import { badge, memory, panel } from "./guidelines-state.js";
import { tell } from "../../shared/toast.js";

const WEEK = 7 * 24 * 3600 * 1000;

if (panel) {
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("[data-guidelines]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    link.closest("[popover]")?.hidePopover();
    const module = await import("./guidelines-panel.js").catch(() => null);
    if (module) module.toggle(link); else tell("The guidelines could not be opened: there is no connection.");
  });
  const { open, at = 0 } = memory();
  if (open && Date.now() - at < WEEK && matchMedia("(min-width: 75rem)").matches) {
    import("./guidelines-panel.js").then((module) => module.open(false)).catch(() => {});
  }
  badge();
}
