// The article beside the answers: opened by a page or a quote, closed again by its button.
import { show } from "./panels.js";

const bench = document.querySelector(".validation");

if (bench && "article" in bench.dataset) show("read");
document.querySelector("[data-close-reader]")?.addEventListener("click", () => {
  show("write");
  document.getElementById("write").focus();
});
