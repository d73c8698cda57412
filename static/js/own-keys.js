// The fields of shortcuts hold one character: what is typed takes its place.
document.addEventListener("focusin", ({ target }) => target.matches(".one-key") && target.select());
