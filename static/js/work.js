// What every work page does. What is its sheet's own comes as a module of that sheet.
import "./draft.js";
import "./keeps.js";
import "./lease.js";
import "./tabs.js";
import "./guidelines.js";
