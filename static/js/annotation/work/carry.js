// The page of the next question comes with the answer to a submission, where a service worker
// (next-page.js) can give it to the browser. Elsewhere, such as without HTTPS, the browser asks.
import { form } from "../sheets/stage.js";

// Milliseconds for the worker to wake up, which any way to the address would wait for.
const WAITS = 2000;
const workers = navigator.serviceWorker;
// What a page's answer has that belongs to its way here.
const LEFT = /^(connection|content-encoding|content-length|transfer-encoding|keep-alive|ambit-page)$/;

// The parts that the page of another question may have as well, as they came: before any script
// changed them. What is in them below the address of this page is below that of the other there.
const stays = new Map();
if (form?.dataset.frame) {
  for (const { dataset: { stays: name }, outerHTML } of document.querySelectorAll("[data-stays]")) stays.set(name, (stays.get(name) ?? "") + outerHTML);
}
const whole = (html, address) => html.replace(/<template data-of="(\w+)"><\/template>/g, (_, name) => stays.get(name).replaceAll(`"${form.dataset.page}`, `"${address}`));

// What a submission says of this browser: that it can be given a page, and which parts it has.
export const asks = () => (workers?.controller ? { "Ambit-Next": form.dataset.frame ?? "1" } : {});

// Go to an address, with the page that an answer (an XMLHttpRequest) has in it.
export function carry(address, answer) {
  const headers = answer.getAllResponseHeaders().trim().split("\r\n").map((line) => line.split(/: (.*)/s, 2)).filter(([name]) => !LEFT.test(name));
  const { port1, port2 } = new MessageChannel();
  const late = setTimeout(go, WAITS);
  function go() {
    clearTimeout(late);
    port1.close();
    location.assign(address);
  }
  port1.onmessage = go;
  workers.controller.postMessage({ address, html: whole(answer.response, address), headers }, [port2]);
}

// Its cached copy will do: the address changes with the version.
if (form?.dataset.carries) workers?.register(form.dataset.carries, { updateViaCache: "all" }).catch(() => {});
