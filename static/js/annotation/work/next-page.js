// A service worker. The answer to a submission has the page of the next question in it; this gives
// it to the browser when it asks for that address, which it does at once. So a question takes one
// request, and each page still begins with scripts of its own. Nothing is stored: a page is in
// memory until it is given out, for seconds at most.
const SECONDS = 5;
const pages = new Map();

self.addEventListener("install", (event) => {
  self.skipWaiting();
  // Where browsers know how, scripts and pictures do not even ask.
  const rest = { condition: { not: { requestMode: "navigate" } }, source: "network" };
  if (event.addRoutes) event.waitUntil(event.addRoutes([rest]).catch(() => {}));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("message", ({ data, ports: [port] }) => {
  pages.set(data.address, { ...data, until: Date.now() + SECONDS * 1000 });
  port.postMessage("kept");
});

self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  if (method !== "GET" || mode !== "navigate") return;
  for (const [address, { until }] of pages) if (until < Date.now()) pages.delete(address);
  const { pathname, search } = new URL(url), page = search ? undefined : pages.get(pathname);
  if (!page) return;
  pages.delete(pathname);
  event.respondWith(new Response(page.html, { headers: page.headers }));
});
