// The reading side of a page. What selecting words needs is fetched with the first article.
import "./reader.js";
import { root } from "./text.js";

const select = () => { if (root() && document.getElementById("selection-bar")) import("./selection.js"); };
document.addEventListener("ambit:read", select);
select();
