// <time datetime data-local> is shown in the reader's own time zone; the server writes UTC.
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long" });

export function localTime(date) {
  const sameDay = date.toDateString() === new Date().toDateString();
  return sameDay ? clock.format(date) : `${day.format(date)}, ${clock.format(date)}`;
}

export function localise(root) {
  for (const node of root.querySelectorAll("time[data-local]")) {
    const date = new Date(node.dateTime);
    if (!Number.isNaN(date.getTime())) node.textContent = localTime(date);
  }
}

localise(document);
document.addEventListener("htmx:afterSettle", (event) => localise(event.target));
