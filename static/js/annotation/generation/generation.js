// The page of an answer: pairs of question and answer, and the article next to them.
import "./form.js";
import "../sheets/chips.js";
import "./help.js";
import "../reading/reading.js";

// Only wide screens have an edge to move.
if (matchMedia("(min-width: 75rem)").matches) import("../work/widths.js").catch(() => {});
if (document.getElementById("suggestions")) import("../suggestions/suggestions.js").catch(() => {});
if (document.getElementById("pay-hint")) import("./pay.js").catch(() => {});
// The diff of a rewrite and the fixes are needed once a person writes. Without them the
// server does the same.
document.getElementById("write").addEventListener("focusin", () => {
  import("./diff.js").catch(() => {});
  import("./fixes.js").catch(() => {});
}, { once: true });
