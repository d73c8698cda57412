// The work page's own modules.
import "./form.js";
import "./chips.js";
import "./draft.js";
import "./keeps.js";
import "./lease.js";
import "./tabs.js";
import "./guidelines.js";
import "./help.js";

// Only wide screens have an edge to move.
if (matchMedia("(min-width: 75rem)").matches) import("./widths.js").catch(() => {});
// What a rewrite changes, and ways out of errors, are wanted once somebody writes. Without them the
// server does the same.
document.getElementById("write").addEventListener("focusin", () => {
  import("./diff.js").catch(() => {});
  import("./fixes.js").catch(() => {});
}, { once: true });
