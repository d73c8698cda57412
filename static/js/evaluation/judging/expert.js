// An expert's judgment: Wikipedia beside the form.
import "../../annotation/reading/reading.js";

// Only wide screens have an edge to move.
if (matchMedia("(min-width: 75rem)").matches) import("../../annotation/work/widths.js").catch(() => {});
