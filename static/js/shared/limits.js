// How long a text may be: near the end the rest is counted down, and people are told if a
// paste was cut. The browser itself cuts at maxlength without a word.
import { announce } from "./announce.js";

const NEAR = 0.9;
const number = (count) => count.toLocaleString("en-GB");

function line(field) {
  const box = field.closest(".chips") ?? field.closest(".with-icon") ?? field;
  let shown = box.nextElementSibling;
  if (!shown?.matches(".limit")) {
    shown = Object.assign(document.createElement("p"), { className: "hint limit" });
    box.after(shown);
  }
  return shown;
}

function say(field, text) {
  const shown = line(field);
  shown.classList.add("error");
  shown.textContent = text;
  announce(text);
}

// The sentence about a field; `over`: how many characters of a paste were left out.
function count(field, over = 0) {
  const most = field.maxLength, used = field.value.length;
  if (over > 0) return say(field, `${number(most)} characters at most: ${number(over)} ${over === 1 ? "was" : "were"} left out.`);
  if (used >= most) return say(field, `${number(most)} characters at most, all used.`);
  const shown = line(field);
  if (used < most * NEAR) return shown.remove();
  shown.classList.remove("error");
  shown.textContent = `${number(most - used)} characters left.`;
}

const limited = (node) => node.matches?.("input, textarea") && node.maxLength > 0;
const plain = (text) => text.replace(/\r\n?/g, "\n");

// Pasted or dropped text: the part that does not fit is left out.
document.addEventListener("beforeinput", (event) => {
  const field = event.target, text = event.data ?? event.dataTransfer?.getData("text/plain");
  if (!limited(field) || !text || event.defaultPrevented) return;
  const chosen = field.selectionEnd - field.selectionStart;
  const over = field.value.length - chosen + plain(text).length - field.maxLength;
  if (over > 0) setTimeout(() => count(field, over));
});
document.addEventListener("input", ({ target }) => limited(target) && count(target));
