// The steps of validation: the visible one is marked, whether pressed or scrolled to.
const steps = [...document.querySelectorAll("[aria-label=Steps] a")], panel = document.getElementById("answer");

function mark(at) {
  for (const step of steps) if (step === steps[at]) step.setAttribute("aria-current", "step"); else step.removeAttribute("aria-current");
}

// The result is on show once its head is in the upper half, or nothing comes below it.
function follow() {
  const box = getComputedStyle(panel).overflowY === "visible" ? document.scrollingElement : panel;
  const end = box.scrollTop > 0 && box.scrollTop + box.clientHeight >= box.scrollHeight - 2;
  const result = document.getElementById("preview").getBoundingClientRect().top;
  mark(end || result < innerHeight / 2 ? 1 : 0);
}

for (const box of [panel, document]) box.addEventListener("scroll", follow, { passive: true });
for (const [at, step] of steps.entries()) step.addEventListener("click", () => mark(at));
follow();
