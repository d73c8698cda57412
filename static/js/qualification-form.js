// What the answer form of an item shares with the work page.
import "./form.js";
import "./chips.js";
import "./diff.js";
import "./fixes.js";
import "./keeps.js";
