// A first guess of what a rewrite changes, shown at once. The server's reply takes its place with
// the words that the scores count.
import { form } from "../sheets/stage.js";

const plain = (word) => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
const words = (text) => text.split(/\s+/).filter(Boolean);

export function diff(before, after) {
  const a = words(before), b = words(after);
  const same = (i, j) => plain(a[i]) === plain(b[j]);
  const longest = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i][j] = same(i, j) ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const out = [];
  const push = (kind, word) => (out.at(-1)?.kind === kind ? out.at(-1).words.push(word) : out.push({ kind, words: [word] }));
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && same(i, j)) { push("same", b[j]); i += 1; j += 1; }
    else if (i < a.length && (j === b.length || longest[i + 1][j] >= longest[i][j + 1])) { push("del", a[i]); i += 1; }
    else { push("ins", b[j]); j += 1; }
  }
  return out;
}

form?.addEventListener("input", (event) => {
  const box = event.target;
  if (!box.matches("textarea[name$=-question]")) return;
  const target = document.getElementById(box.dataset.diff ?? `diff-${box.closest("[data-pair]")?.dataset.pair}`);
  if (!target) return;
  if (!box.value.trim()) return target.replaceChildren();
  target.replaceChildren(...diff(form.dataset.prompt, box.value).flatMap(({ kind, words: run }) => {
    if (kind === "same") return [`${run.join(" ")} `];
    const [, text, mark] = run.join(" ").match(/^(.*?)([?.!,]*)$/);
    const node = document.createElement(kind);
    node.textContent = text || mark;
    return kind === "ins" ? [node, `${text ? mark : ""} `] : [node, " "];
  }));
});
