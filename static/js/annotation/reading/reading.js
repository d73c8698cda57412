// The reading side of a page. The code for selecting words is loaded last, before the
// first article is open; without a connection, with the next article.
import "./reader.js";

const idle = window.requestIdleCallback ?? setTimeout;
idle(() => import("./pictures.js").catch(() => {}));
const load = () => import("./selection.js").catch(() => {});
if (document.getElementById("selection-bar")) {
  idle(load, { timeout: 2000 });
  document.addEventListener("ambit:read", load);
}
