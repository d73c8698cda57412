// On a wide screen the edge of the answer column can be moved: drag it, use the arrow keys on it,
// or press it for the next of three widths. Kept on this device.
const STEPS = [25, 27, 34], LEAST = 22, MOST = 48, KEY = "ambit-desk-width";
const bench = document.querySelector(".workbench"), desk = document.querySelector(".desk");

function start() {
  const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize);
  const edge = document.createElement("div");
  edge.className = "edge";
  edge.tabIndex = 0;
  edge.title = "Drag, press, or use the arrow keys";
  const set = (name, value) => edge.setAttribute(name, value);
  for (const [name, value] of Object.entries({ role: "separator", "aria-orientation": "vertical", "aria-label": "Width of the answer column", "aria-valuemin": LEAST, "aria-valuemax": MOST })) set(name, value);
  let width = 27, from = null;
  function put(wanted, keep = true) {
    width = Math.round(Math.min(MOST, Math.max(LEAST, wanted)) * 4) / 4;
    bench.style.setProperty("--desk", `${width}rem`);
    set("aria-valuenow", width);
    set("aria-valuetext", `${width} rem`);
    try { if (keep) localStorage.setItem(KEY, width); } catch { /* forbidden: holds for this page */ }
  }
  const shown = () => desk.offsetWidth / rem();

  edge.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: shown() + 1, ArrowRight: shown() - 1, Home: LEAST, End: MOST }[event.key]
      ?? (event.key === "Enter" ? next() : null);
    if (to === null || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    put(to);
  });
  const next = () => STEPS.find((each) => each > shown() + 0.5) ?? STEPS[0];
  edge.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault();
    edge.setPointerCapture(event.pointerId);
    from = { x: event.clientX, width: shown(), moved: false };
  });
  edge.addEventListener("pointermove", (event) => {
    if (!from) return;
    const by = from.x - event.clientX;
    from.moved ||= Math.abs(by) > 3;
    if (from.moved) put(from.width + by / rem());
  });
  edge.addEventListener("pointerup", () => { if (from && !from.moved) put(next()); from = null; });
  edge.addEventListener("pointercancel", () => { from = null; });

  let kept = NaN;
  try { kept = parseFloat(localStorage.getItem(KEY)); } catch { /* forbidden */ }
  put(kept || 27, false);
  desk.prepend(edge);
}

if (bench && desk) start();
