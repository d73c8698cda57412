// A short name is suggested from the name until a person writes one, and its address is shown.
const name = document.querySelector("[data-names]");
const slug = document.querySelector("[data-previewed]");
if (name && slug) {
  const shown = document.createElement("p");
  shown.className = "hint";
  slug.after(shown);
  let own = slug.value !== "";

  const suggested = (text) =>
    text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase()
      .replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);

  const preview = () => {
    shown.hidden = !slug.value;
    shown.textContent = slug.value ? `${location.origin}/projects/${slug.value}/` : "";
  };
  const suggest = () => {
    if (!own) slug.value = suggested(name.value);
    preview();
  };
  name.addEventListener("input", suggest);
  slug.addEventListener("input", () => {
    own = slug.value !== "";
    preview();
  });
  suggest();
}
