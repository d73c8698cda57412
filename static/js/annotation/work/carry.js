// The page of the next question comes with the answer to a submission, where a service worker
// (next-page.js) can give it to the browser. Elsewhere, such as without HTTPS, the browser asks.
import { form } from "../sheets/stage.js";

// Milliseconds for the worker to wake up, which any way to the address would wait for.
const WAITS = 2000;
const workers = navigator.serviceWorker;
// What a page's answer has that belongs to its way here.
const LEFT = /^(connection|content-encoding|content-length|transfer-encoding|keep-alive|ambit-page)$/;

// Whether this browser can be given a page.
export const canCarry = () => Boolean(workers?.controller);

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
  workers.controller.postMessage({ address, html: answer.response, headers }, [port2]);
}

// Its cached copy will do: the address changes with the version.
if (form?.dataset.carries) workers?.register(form.dataset.carries, { updateViaCache: "all" }).catch(() => {});
