// The fields of shortcuts hold one character: a new one replaces it.
document.addEventListener("focusin", ({ target }) => target.matches(".one-key") && target.select());
