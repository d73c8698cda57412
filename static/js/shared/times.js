// <time datetime data-local> is shown in the reader's own time zone; the server writes UTC. With
// data-local="zone" the name of the zone follows.
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long" });

const zone = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" });

function zoneAt(date) {
  return zone.formatToParts(date).find((part) => part.type === "timeZoneName").value;
}

export function localTime(date) {
  const sameDay = date.toDateString() === new Date().toDateString();
  return sameDay ? clock.format(date) : `${day.format(date)}, ${clock.format(date)}`;
}

export function localise(root) {
  for (const node of root.querySelectorAll("time[data-local]")) {
    const date = new Date(node.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    const named = node.dataset.local === "zone" ? ` ${zoneAt(date)}` : "";
    node.textContent = localTime(date) + named;
  }
}

localise(document);
document.addEventListener("htmx:afterSettle", (event) => localise(event.target));
