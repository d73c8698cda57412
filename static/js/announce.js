// One polite live region, fed by the server (HX-Trigger: {"announce": "…"}) and by modules. It is for
// what can be seen already: what failed or was refused is told to everybody, by tell() of toast.js or
// by a notice. tests/test_scripts.py lists who says what here.
const region = document.getElementById("announcer");
let clearing;

export function announce(text) {
  if (!region || !text) return;
  region.textContent = "";
  clearTimeout(clearing);
  // A change in the next frame is announced even when the words are the same.
  requestAnimationFrame(() => { region.textContent = text; });
  clearing = setTimeout(() => { region.textContent = ""; }, 8000);
}

document.addEventListener("announce", (event) => announce(event.detail?.value ?? event.detail));
