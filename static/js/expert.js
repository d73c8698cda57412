// An expert's judgment: Wikipedia beside the form.
import "./reading.js";

// Only wide screens have an edge to move.
if (matchMedia("(min-width: 75rem)").matches) import("./widths.js").catch(() => {});
