// The page of a long answer: the text, what is missing from it, its evidence, and the left column.
import "./long-answer-pieces.js";
import "./long-answer-text.js";
import "./long-answer-left.js";
import "../reading/reading.js";

if (document.getElementById("suggestions")) import("../suggestions/suggestions.js").catch(() => {});
