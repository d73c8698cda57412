// A form of work on its own page: saved as it is typed, warnings kept with a reason, time shown.
import "./draft.js";
import "./keeps.js";
import "./lease.js";
