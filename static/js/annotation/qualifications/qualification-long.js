// What the form of an item about long answers shares with the work page.
import "../long_answers/long-answer-text.js";
import "../long_answers/long-answer-pieces.js";
import "../work/keeps.js";
