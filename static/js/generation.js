// The page of an answer: pairs of question and answer, and the article beside them.
import "./form.js";
import "./chips.js";
import "./help.js";
import "./reading.js";

// Only wide screens have an edge to move.
if (matchMedia("(min-width: 75rem)").matches) import("./widths.js").catch(() => {});
// What a rewrite changes, and ways out of errors, are wanted once somebody writes. Without them the
// server does the same.
document.getElementById("write").addEventListener("focusin", () => {
  import("./diff.js").catch(() => {});
  import("./fixes.js").catch(() => {});
}, { once: true });
