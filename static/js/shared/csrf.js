// The token of forms as it is now: signing in, also in another tab, makes a new one.
export const token = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1]
  ?? JSON.parse(document.body.getAttribute("hx-headers"))["x-csrftoken"];

document.addEventListener("htmx:configRequest", ({ detail }) => {
  detail.headers["x-csrftoken"] = token();
  if (detail.formData.has("csrfmiddlewaretoken")) detail.formData.set("csrfmiddlewaretoken", token());
});
