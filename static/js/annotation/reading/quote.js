// One quote in its article, for staff: painted, and scrolled to. Without scripts the words and
// their surroundings are shown above the article.
import { ours } from "./canonical.js";
import { paint, text } from "./text.js";

const card = document.getElementById("quote"), { start, end } = card.dataset;
const place = start && text() && ours(text(), [Number(start), Number(end)]);
if (place) {
  paint("quote", [place]);
  const box = text().range(place).getBoundingClientRect();
  if (location.hash === "#quote") {
    scrollTo({ top: scrollY + box.top - innerHeight / 3 });
    card.focus({ preventScroll: true });
  }
}
