// One question, two tabs of this browser: the later one is read-only until the person continues there.
import { notice, save, stop } from "./draft.js";
import { form } from "../sheets/stage.js";

const name = `ambit-work-${form?.dataset.assignment}`;
const mine = crypto.getRandomValues(new Uint32Array(1))[0];
let holds = true;

function readOnly() {
  holds = false;
  stop();
  const place = document.getElementById("notices");
  const rest = [...form.querySelector("#write").children].filter((part) => part !== place);
  for (const part of [...rest, ...form.querySelectorAll("#checks, :scope > .panel-head"), document.querySelector(".bar")]) part.inert = true;
  notice("other-tab", "warning", "This question is open in another tab. Here you can only read it.", ["Continue here", takeOver]);
}

function takeOver() {
  const reload = () => { try { sessionStorage.setItem(name, "1"); } catch { /* asks again then */ } location.reload(); };
  channel.addEventListener("message", (event) => event.data.kind === "given" && reload());
  channel.postMessage({ kind: "take", from: mine });
  setTimeout(reload, 1500);
}

const channel = form && "BroadcastChannel" in window ? new BroadcastChannel(name) : null;
if (channel) {
  channel.addEventListener("message", async ({ data }) => {
    if (!holds) return;
    if (data.kind === "hello") channel.postMessage({ kind: "held", from: mine });
    if (data.kind === "held" && data.from !== mine) readOnly();
    if (data.kind === "take") {
      await save();
      readOnly();
      channel.postMessage({ kind: "given", from: mine });
    }
  });
  let continued = false;
  try { continued = sessionStorage.getItem(name) === "1"; sessionStorage.removeItem(name); } catch { /* asks */ }
  if (!continued) channel.postMessage({ kind: "hello", from: mine });
}
