// The page of a long answer: the text, what is missing from it, its evidence, and the left column.
import "./stage.js";
import "./long-answer-pieces.js"; // before draft.js, which offers text back
import "./long-answer-text.js";
import "./long-answer-left.js";
import "./draft.js";
import "./keeps.js";
import "./lease.js";
import "./tabs.js";
import "./guidelines.js";
