// The article's words as one string with their places in the document, and painting on it
// without touching it (CSS Custom Highlight API; <mark> where a browser has none).
const BLOCK = "p, li, td, th, caption, figcaption, dt, dd, h2, h3, h4, h5, h6, pre, blockquote, div, ul, table";

export const root = () => document.querySelector("#reader .article-text");

export class Text {
  constructor(within) {
    this.within = within;
    this.nodes = [];
    this.starts = [];
    let text = "", block = null;
    const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (!node.data || node.parentElement.closest("sup.reference")) continue;
      const own = node.parentElement.closest(BLOCK);
      if (block && own !== block) text += "\n";
      block = own;
      this.nodes.push(node);
      this.starts.push(text.length);
      text += node.data.replace(/\s/g, " ");
    }
    this.text = text;
  }

  // The number of the text node that holds a position.
  #holds(position) {
    let low = 0, high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= position) low = middle; else high = middle - 1;
    }
    return low;
  }

  range(start, end) {
    const range = document.createRange();
    const first = this.#holds(start), last = this.#holds(end - 1);
    range.setStart(this.nodes[first], Math.min(start - this.starts[first], this.nodes[first].length));
    range.setEnd(this.nodes[last], Math.min(end - this.starts[last], this.nodes[last].length));
    return range;
  }

  // The position of a place in the document: that of the first text at or after it.
  position(container, offset) {
    const at = this.nodes.indexOf(container);
    if (at >= 0) return this.starts[at] + offset;
    const range = document.createRange();
    range.setStart(container, offset);
    let low = 0, high = this.nodes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (range.comparePoint(this.nodes[middle], 0) < 0) low = middle + 1; else high = middle;
    }
    return low < this.nodes.length ? this.starts[low] : this.text.length;
  }

  // Every place of some words, whatever their case; at most `most`.
  all(words, most = 5000) {
    const found = [], text = lower(this.text), wanted = lower(words);
    for (let at = text.indexOf(wanted); wanted && at >= 0 && found.length < most; at = text.indexOf(wanted, at + wanted.length)) {
      found.push([at, at + wanted.length]);
    }
    return found;
  }

  // Where a stored quote stands: its words, compared without white space, at the place whose
  // words before fit best. Returns [start, end] or null.
  quote({ exact, prefix }) {
    if (!this.tight) {
      this.places = [];
      this.tight = "";
      for (let at = 0; at < this.text.length; at += 1) {
        if (/\s/.test(this.text[at])) continue;
        this.tight += this.text[at];
        this.places.push(at);
      }
    }
    const wanted = exact.replace(/\s+/g, ""), before = prefix.replace(/\s+/g, "");
    let best = null, most = -1;
    for (let at = this.tight.indexOf(wanted); wanted && at >= 0; at = this.tight.indexOf(wanted, at + 1)) {
      let same = 0;
      while (same < before.length && this.tight[at - 1 - same] === before[before.length - 1 - same]) same += 1;
      if (same > most) { most = same; best = [this.places[at], this.places[at + wanted.length - 1] + 1]; }
    }
    return best;
  }
}

// Lower case without changing the length.
function lower(text) {
  const small = text.toLowerCase();
  return small.length === text.length ? small : [...text].map((c) => (c.toLowerCase().length === c.length ? c.toLowerCase() : c)).join("");
}

let kept = null;

// The text of the article that is open, read once.
export function text() {
  const within = root();
  if (!within) return null;
  if (kept?.within !== within) kept = new Text(within);
  return kept;
}

export function paint(name, ranges) {
  if (window.CSS?.highlights && window.Highlight) {
    if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges)); else CSS.highlights.delete(name);
    return;
  }
  for (const mark of document.querySelectorAll(`mark[data-paint=${name}]`)) {
    const parent = mark.parentNode;
    mark.replaceWith(...mark.childNodes);
    parent.normalize();
  }
  for (const range of ranges.slice(0, 1)) {
    const mark = document.createElement("mark");
    mark.dataset.paint = name;
    try { range.surroundContents(mark); } catch { /* it crosses elements: it is scrolled to, not painted */ }
  }
  kept = null;
}

// Bring a place into the middle of the panel.
export function reveal(range) {
  const panel = document.getElementById("read");
  const box = range.getBoundingClientRect(), frame = panel.getBoundingClientRect();
  if (panel.scrollHeight > panel.clientHeight + 1 && getComputedStyle(panel).overflowY !== "visible") {
    if (box.top < frame.top + 64 || box.bottom > frame.bottom - 96) panel.scrollTop += box.top - frame.top - panel.clientHeight / 3;
  } else if (box.top < 160 || box.bottom > innerHeight - 120) {
    scrollBy(0, box.top - innerHeight / 3);
  }
}
