// The article's words as one string with their places in the document, and painting on it
// without touching it (CSS Custom Highlight API; <mark> where a browser has none). Lines begin and
// end as on the server: canonical.js makes its positions of ours.
const BLOCK = "blockquote, br, caption, dd, div, dl, dt, figcaption, figure, h2, h3, h4, h5, h6, hr, li, ol, p, pre, table, tbody, td, tfoot, th, thead, tr, ul";

export const root = () => document.querySelector("#reader .article-text");

class Text {
  constructor(within) {
    Object.assign(this, { within, nodes: [], starts: [], text: "" });
    this.read(within);
  }

  read(parent) {
    for (const node of parent.childNodes) {
      if (node.nodeType === 3) {
        this.nodes.push(node);
        this.starts.push(this.text.length);
        // What Unicode calls white space: not U+FEFF, and five controls.
        this.text += node.data.replace(/[^\S\ufeff]|[\x1c-\x1f\x85]/g, " ");
      } else if (node.nodeType === 1 && !node.matches("sup.reference")) {
        const edge = node.matches(BLOCK) ? "\n" : "";
        this.text += edge;
        this.read(node);
        this.text += edge;
      }
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
}

// The first of `count` numbers for which it holds, as it then does for all after it.
export function first(count, holds) {
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

// The text of the article that is open, read once, and again after its nodes have changed.
export function text(again) {
  const within = root();
  if (again || (within && kept?.within !== within)) kept = within && new Text(within);
  return within && kept;
}

// Which layer is painted over which, in whatever order they are added.
const LAYERS = ["quote", "offered", "shown", "find", "find-current"];

// Paint places ([start, end]) of the article.
export function paint(name, places) {
  const some = places.slice(0, 1000);
  if (!window.CSS?.highlights) import("./marks.js").then(({ mark }) => mark(name, some, { root, text })).catch(() => {});
  else if (some.length) CSS.highlights.set(name, Object.assign(new Highlight(...some.map((place) => text().range(place))), { priority: LAYERS.indexOf(name) }));
  else CSS.highlights.delete(name);
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
  if (box.top < top + document.querySelector(".reader-head").offsetHeight + 16 || box.bottom > top + view.clientHeight - 96) view.scrollTop += box.top - top - view.clientHeight / 3;
}
