// The validation page. The server decides what a press does and answers with the new rows. This
// module makes the page quick.
import "./validation-form.js";
import "../../annotation/sheets/chips.js";

if (document.getElementById("suggestions")) import("../../annotation/suggestions/suggestions.js").catch(() => {});

// Loaded once the person does something.
for (const kind of ["pointermove", "focusin", "scroll"]) document.addEventListener(kind, () => {
  import("./steps.js").catch(() => {});
  import("../../annotation/generation/diff.js").catch(() => {});
}, { once: true, capture: true });

// The reading side is loaded once there is something to read, or as soon as the page is at rest: its
// links work without it.
const read = () => import("../../annotation/reading/reading.js").catch(() => {});
if ("article" in document.querySelector(".validation").dataset) read();
else (window.requestIdleCallback ?? setTimeout)(read, { timeout: 500 });
