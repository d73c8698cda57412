// The token of forms as it is now: signing in, also in another tab, makes a new one.
export const token = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1]
  ?? JSON.parse(document.body.getAttribute("hx-headers"))["x-csrftoken"];
