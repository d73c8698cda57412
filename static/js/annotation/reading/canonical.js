// The canonical text, in which quotes count, made from the text of the page: Unicode code points in
// normal form C, one line a block, one space for any white space. wikipedia/articles/reader.py makes
// the same on the server and hashes it; tests/browser/test_quotes.py compares the two.
import { first } from "./text.js";

// A character with its combining marks, Hangul vowels and finals included.
const CLUSTER = /[^\p{M}\u1160-\u11ff][\p{M}\u1160-\u11ff]*|[\p{M}\u1160-\u11ff]+/gu;
const known = new WeakMap();

// For each code point, and for the end, where it begins in our text, which counts in UTF-16.
export function canonical(page) {
  if (known.has(page)) return known.get(page);
  const at = [], points = [];
  let gap = null, last = 0;
  const add = (piece, place) => {
    const plain = piece.normalize("NFC");
    for (let inner = 0; inner < plain.length; inner += plain.codePointAt(inner) > 0xffff ? 2 : 1) {
      points.push(String.fromCodePoint(plain.codePointAt(inner)));
      at.push(place + (plain === piece ? inner : 0));
    }
  };
  for (const { 0: piece, index } of page.text.matchAll(/[ \n]+|[^ \n]+/g)) {
    if (piece[0] === " " || piece[0] === "\n") {
      gap = piece.includes("\n") ? "\n" : " ";
      continue;
    }
    if (gap && points.length) { points.push(gap); at.push(last); }
    gap = null;
    if (piece === piece.normalize("NFC")) add(piece, index);
    else for (const { 0: cluster, index: inner } of piece.matchAll(CLUSTER)) add(cluster, index + inner);
    last = index + piece.length;
  }
  at.push(last);
  const made = { points, at };
  known.set(page, made);
  return made;
}

// A place of the server's text in ours, and back.
export const ours = (page, [start, end]) => canonical(page).at[end] !== undefined && [canonical(page).at[start], canonical(page).at[end]];
export const theirs = (page, position) => first(canonical(page).points.length, (each) => canonical(page).at[each] >= position);
export const words = (page, [start, end]) => canonical(page).points.slice(start, end).join("");
