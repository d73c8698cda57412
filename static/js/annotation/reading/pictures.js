// Pictures of a live wiki arrive a few at a time. Those refused for now are requested again, with a
// longer wait each time.
function again(picture) {
  const times = Number(picture.dataset.times ?? 0);
  if (times > 5) return;
  picture.dataset.times = times + 1;
  setTimeout(() => { picture.src = picture.getAttribute("src"); }, 1000 * 2 ** times * (0.5 + Math.random()));
}

document.addEventListener("error", ({ target }) => { if (target.matches?.(".article img")) again(target); }, true);
for (const picture of document.querySelectorAll(".article img")) if (picture.complete && !picture.naturalWidth) again(picture);
