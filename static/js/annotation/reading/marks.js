// Painting for browsers without the CSS Custom Highlight API: <mark> around each piece of text.
// Positions count text, not nodes, so they outlive it; the nodes are read again. `root` and `text`
// are those of text.js, which loads this where it is needed.
export function mark(name, places, { root, text }) {
  const within = root();
  if (!within) return;
  for (const old of within.querySelectorAll(`mark[data-paint=${name}]`)) old.replaceWith(...old.childNodes);
  within.normalize();
  const { nodes, starts } = text(true);
  // From the end: cutting off a node's end does not move the text before it.
  for (const [start, end] of [...places].sort((one, other) => other[0] - one[0])) {
    for (let at = starts.findLastIndex((each) => each < end); at >= 0 && starts[at] + nodes[at].length > start; at -= 1) {
      const from = Math.max(0, start - starts[at]), to = Math.min(nodes[at].length, end - starts[at]);
      if (from >= to || (!nodes[at].data.slice(from, to).trim() && nodes[at].parentElement.matches("tr, tbody, table, ul, ol"))) continue;
      const piece = nodes[at].splitText(from), around = document.createElement("mark");
      piece.splitText(to - from);
      around.dataset.paint = name;
      piece.replaceWith(around);
      around.append(piece);
    }
  }
  text(true);
}
