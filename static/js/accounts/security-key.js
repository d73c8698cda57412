// Lets a security key fill in the form that asks for one, with what browsers have for it.

const form = document.querySelector("[data-security-key]");

const asked = () => {
  const { creation_options: create, request_options: get } = JSON.parse(
    document.getElementById("key-options").textContent,
  );
  return form.dataset.securityKey === "create"
    ? navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(create.publicKey),
    })
    : navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(get.publicKey),
    });
};

if (form && window.PublicKeyCredential?.parseCreationOptionsFromJSON) {
  form.hidden = false;
  if (form.dataset.securityKey === "get" && document.activeElement === document.body) {
    form.querySelector("button").focus(); // a key is used without the mouse
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    form.querySelector("[data-key-problem]").hidden = true;
    try {
      form.elements.credential.value = JSON.stringify((await asked()).toJSON());
      form.submit(); // not the event again
    } catch {
      form.querySelector("[data-key-problem]").hidden = false;
    }
  });
} else if (form) {
  document.querySelector("[data-key-missing]").hidden = false;
}
