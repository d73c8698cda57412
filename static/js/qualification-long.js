// What the form of an item about long answers shares with the work page.
import "./long-answer-text.js";
import "./long-answer-pieces.js";
import "./keeps.js";
