// Trim the end of words from a sentence for a short answer: without its full stop, unless that belongs to an
// abbreviation (U.S., J., Jr.).
const SHORT = /^(?:\p{L}|bros|co|corp|dr|etc|inc|jr|ltd|mr|mrs|ms|no|prof|sr|st|vs)$/iu;

export function unstopped(words) {
  if (!/[.。．।۔]$/u.test(words)) return words;
  const last = words.slice(0, -1).match(/\S*$/)[0].replace(/^[^\p{L}\p{N}]+/u, "");
  return last.includes(".") || SHORT.test(last) ? words : words.slice(0, -1).trimEnd();
}
