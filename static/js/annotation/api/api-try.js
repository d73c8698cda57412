// Starts Swagger UI, which is a script of its own package, on the schema of this installation.

import { token } from "../../shared/csrf.js";

const place = document.getElementById("swagger");

// What its markup lacks for keyboards, also in what is opened later.
const mend = () => {
  for (const box of place.querySelectorAll("pre")) box.tabIndex = 0;
};
new MutationObserver(mend).observe(place, { childList: true, subtree: true });

window.SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
  layout: "BaseLayout",
  presets: [window.SwaggerUIBundle.presets.apis],
  requestInterceptor(request) {
    if (request.method !== "GET") request.headers["X-CSRFToken"] = token();
    return request;
  },
});
