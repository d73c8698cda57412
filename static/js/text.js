// The article's words as one string with their places in the document, and painting on it
// without touching it (CSS Custom Highlight API; <mark> where a browser has none).
const BLOCK = "p, li, td, th, caption, figcaption, dt, dd, h2, h3, h4, h5, h6, pre, blockquote, div, ul, table";

export const root = () => document.querySelector("#reader .article-text");

class Text {
  constructor(within) {
    Object.assign(this, { within, nodes: [], starts: [], text: "" });
    let block = null;
    const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode, parent = node.parentElement;
      if (!node.data || parent.closest("sup.reference")) continue;
      const own = parent.closest(BLOCK);
      if (block && own !== block) this.text += "\n";
      block = own;
      this.nodes.push(node);
      this.starts.push(this.text.length);
      this.text += node.data.replace(/\s/g, " ");
    }
  }

  range([start, end]) {
    const range = document.createRange();
    const put = (edge, position, inside) => {
      const at = first(this.starts.length, (each) => this.starts[each] > inside) - 1;
      range[edge](this.nodes[at], Math.min(position - this.starts[at], this.nodes[at].length));
    };
    put("setStart", start, start);
    put("setEnd", end, end - 1);
    return range;
  }

  // The position of a place in the document: of the first text at or after it.
  position(container, offset) {
    const at = this.nodes.indexOf(container);
    if (at >= 0) return this.starts[at] + offset;
    const range = document.createRange();
    range.setStart(container, offset);
    return this.starts[first(this.nodes.length, (each) => range.comparePoint(this.nodes[each], 0) >= 0)] ?? this.text.length;
  }

  // Every place of some words, whatever their case.
  all(words) {
    const found = [], text = this.small ??= lower(this.text), wanted = lower(words);
    for (let at = text.indexOf(wanted); at >= 0 && found.length < 5000; at = text.indexOf(wanted, at + wanted.length)) found.push([at, at + wanted.length]);
    return found;
  }

  // Where a stored quote stands, or null: its words compared without white space, at the place
  // where the words before fit best.
  quote({ exact, prefix }) {
    this.places ??= [...this.text.matchAll(/\S/g)].map((letter) => letter.index);
    const { places } = this, tight = this.tight ??= this.text.replace(/\s+/g, "");
    const wanted = exact.replace(/\s+/g, ""), before = prefix.replace(/\s+/g, "");
    let best = null, most = -1;
    for (let at = tight.indexOf(wanted); at >= 0; at = tight.indexOf(wanted, at + 1)) {
      let same = 0;
      while (same < before.length && tight[at - 1 - same] === before.at(-1 - same)) same += 1;
      if (same > most) { most = same; best = [places[at], places[at + wanted.length - 1] + 1]; }
    }
    return best;
  }
}

// The first of `count` numbers for which it holds, as it then does for all after it.
function first(count, holds) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle; else low = middle + 1;
  }
  return low;
}

// Lower case without changing the length.
const lower = (text) => text.replace(/./gsu, (c) => (c.toLowerCase().length === c.length ? c.toLowerCase() : c));

let kept = null;

// The text of the article that is open, read once.
export function text() {
  const within = root();
  if (within && kept?.within !== within) kept = new Text(within);
  return within && kept;
}

// Paint places ([start, end]) of the article.
export function paint(name, places) {
  const ranges = places.slice(0, 1000).map((place) => text().range(place));
  if (window.CSS?.highlights) {
    if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges)); else CSS.highlights.delete(name);
    return;
  }
  for (const mark of document.querySelectorAll(`mark[data-paint=${name}]`)) mark.replaceWith(...mark.childNodes);
  const mark = document.createElement("mark");
  mark.dataset.paint = name;
  try { ranges[0]?.surroundContents(mark); } catch { /* it crosses elements: scrolled to, not painted */ }
  kept = null;
}

// The panel scrolls, or on a phone the page.
export function scroller() {
  const panel = document.getElementById("read");
  return getComputedStyle(panel).overflowY === "visible" ? document.scrollingElement : panel;
}

// Bring a place into sight.
export function reveal(place) {
  const box = text().range(place).getBoundingClientRect(), view = scroller();
  const top = view === document.scrollingElement ? 0 : view.getBoundingClientRect().top;
  if (box.top < top + 64 || box.bottom > top + view.clientHeight - 96) view.scrollTop += box.top - top - view.clientHeight / 3;
}
