// The validation page. What a press does is the server's to say: it answers with the rows as they
// are then. Here is what makes it quick.
import "./validation-form.js";
import "./chips.js";

// Wanted once somebody does something.
for (const kind of ["pointermove", "focusin", "scroll"]) document.addEventListener(kind, () => {
  import("./steps.js").catch(() => {});
  import("./diff.js").catch(() => {});
}, { once: true, capture: true });

// The reading side comes once there is something to read, or as soon as the page is at rest: its
// links work without it.
const read = () => import("./reading.js").catch(() => {});
if ("article" in document.querySelector(".validation").dataset) read();
else (window.requestIdleCallback ?? setTimeout)(read, { timeout: 500 });
