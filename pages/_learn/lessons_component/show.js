// A lesson on the page: its player keeps the score while the user leaves the page and returns.
const LEAST = 520; // pixels of height
const BELOW = 24; // reserved below it
const players = new Map(); // name of a lesson → { root, player }

function isDark(element) {
  const probe = document.createElement("i");
  probe.style.color = getComputedStyle(element).getPropertyValue("--st-background-color") || "white";
  element.append(probe);
  const [red, green, blue] = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
  probe.remove();
  return red + green + blue < 384;
}

export default function ({ parentElement, data, setTriggerValue }) {
  let place = parentElement.querySelector(".kanon-lessons-place");
  if (!place) {
    place = document.createElement("div");
    place.className = "kanon-lessons-place";
    parentElement.append(place);
  }
  const { lesson, next } = data;
  const dark = isDark(place);
  let kept = players.get(lesson.name);
  if (!kept) {
    const root = document.createElement("div");
    kept = { root };
    const options = { only: lesson.name, dark, next: next && (() => kept.next()) };
    kept.player = playLessons(root, [lesson], options);
    players.set(lesson.name, kept);
  }
  kept.next = () => setTriggerValue("next", next);
  kept.player.theme(dark);
  if (kept.root.parentNode !== place) place.replaceChildren(kept.root);
  const fit = () => {
    const height = innerHeight - place.getBoundingClientRect().top - BELOW;
    place.style.setProperty("--lessons-height", `${Math.max(LEAST, height)}px`);
  };
  fit();
  addEventListener("resize", fit);
  return () => removeEventListener("resize", fit);
}
