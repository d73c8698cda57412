// The validation page. What a press does is the server's to say: it answers with the rows as they
// are then. Here is what makes it quick: keys, the tools' state, undo at hand, focus that stays.
import "./stage.js";
import "./validation-form.js";
import "./chips.js";
import "./diff.js";
import "./draft.js";
import "./keeps.js";
import "./lease.js";
import "./steps.js";
import "./tabs.js";
import "./guidelines.js";
