// Scripts for every work page. Each sheet adds a module of its own.
import "./draft.js";
import "./keeps.js";
import "./lease.js";
import "./tabs.js";
import "./guidelines.js";
