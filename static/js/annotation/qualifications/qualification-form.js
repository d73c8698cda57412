// What the answer form of an item shares with the work page.
import "../generation/form.js";
import "../sheets/chips.js";
import "../generation/diff.js";
import "../generation/fixes.js";
import "../work/keeps.js";
