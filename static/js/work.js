// The work page's own modules.
import "./form.js";
import "./chips.js";
import "./draft.js";
import "./fixes.js";
import "./keeps.js";
import "./lease.js";
import "./tabs.js";
import "./guidelines.js";
import "./help.js";
import "./widths.js";

// What a rewrite changes is wanted once somebody writes.
document.getElementById("write").addEventListener("focusin", () => import("./diff.js").catch(() => {}), { once: true });
