// Read / Write / Checks on a phone, the search column on a desk, error links.
const bench = document.querySelector(".workbench");

// Without scripts these links jump to the panels. A page says which it opens with.
if (bench && document.querySelector(".switcher")) {
  bench.dataset.view = document.querySelector(".switcher a[aria-current]")?.hash.slice(1) || "write";
}

export function show(view) {
  if (!bench) return;
  bench.dataset.view = view;
  if (bench.dataset.left && ["disambiguations", "read"].includes(view)) bench.dataset.left = view;
  for (const link of document.querySelectorAll(".switcher a")) {
    if (link.hash === `#${view}`) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

// On a phone the prompt stays on top: scrolling to a place stops below it.
const masthead = document.querySelector(".masthead");
if (masthead) {
  new ResizeObserver(() => {
    const sticks = getComputedStyle(masthead).position === "sticky";
    document.documentElement.style.scrollPaddingBlockStart = sticks ? `${masthead.offsetHeight + 8}px` : "";
  }).observe(masthead);
}

// A link to a field shows the panel it is in, then puts the caret in the field.
export function goTo(field) {
  const panel = field.closest("#read, #write, #checks");
  if (panel) show(panel.id);
  field.focus();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button, a");
  if (!button) return;
  if (button.matches(".switcher a")) {
    event.preventDefault();
    show(button.hash.slice(1));
  }
  if (bench && button.matches("[data-toggle-search]")) {
    const closed = bench.dataset.search === "closed";
    bench.dataset.search = closed ? "open" : "closed";
    for (const each of document.querySelectorAll("[data-toggle-search]")) each.setAttribute("aria-expanded", String(closed));
    (closed ? document.getElementById("query") : [...document.querySelectorAll("[data-toggle-search]")].find((each) => each.checkVisibility()))?.focus();
  }
  if (button.matches(".banner a, .checklist a") && button.hash) {
    const field = document.getElementById(button.hash.slice(1));
    if (field) { event.preventDefault(); goTo(field); }
  }
});

const drawer = document.querySelector(".drawer[popover]");
if (drawer) matchMedia("(min-width: 75rem)").addEventListener("change", () => drawer.matches(":popover-open") && drawer.hidePopover());
