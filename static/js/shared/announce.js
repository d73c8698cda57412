// One polite live region, fed by the server (HX-Trigger: {"announce": "…"}) and by modules, for
// changes that others can see. Failures and refusals are shown to everyone: tell() of toast.js.
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
