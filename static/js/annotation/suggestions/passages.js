// The passage of a suggestion, shown in the article that is open: its words are underlined.
import { announce } from "../../shared/announce.js";
import { tell } from "../../shared/toast.js";
import { path } from "../reading/page.js";
import { show } from "../../shared/panels.js";
import { paint, reveal, text } from "../reading/text.js";

const EDGE = 60;

// [start, end] of a passage. One that goes over several paragraphs is found by its ends.
function placeOf(passage) {
  const page = text(), words = passage.replace(/\s+/g, " ").trim();
  const whole = page?.all(words)[0];
  if (whole || !page) return whole;
  const begin = page.all(words.slice(0, EDGE))[0];
  const end = begin && page.all(words.slice(-EDGE)).find(([, at]) => at > begin[0] && at - begin[0] < 2 * words.length);
  return begin && [begin[0], end?.[1] ?? begin[1]];
}

export function showPassage(passage) {
  const place = placeOf(passage);
  paint("offered", place ? [place] : []);
  if (!place) return tell("Its words were not found on this page.");
  show("read");
  reveal(place);
  announce("Its words are underlined in the article.");
}

// Whether a link leads to the page that is open.
export const isOpen = (link) => Boolean(path()) && decodeURIComponent(new URL(link.href).pathname).endsWith(`/read/${path()}`);
