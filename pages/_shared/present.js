// One picture with the sentence above it, at the size of a projector; the style of the page hides all else.
const PRESENTS = "kanonPresents"; // among the data of the page's root: the key of the picture
const PRESENT_WORDS = "Present: show only the sentence and this picture";
const LEAVE_WORDS = "Leave (Esc)";

function isPresented(key) {
  return Boolean(key) && document.documentElement.dataset[PRESENTS] === key;
}

// A window that may not go full screen presents at its size.
function present(key) {
  const root = document.documentElement;
  root.dataset[PRESENTS] = key;
  root.requestFullscreen?.().catch(() => {});
  dispatchEvent(new Event(PRESENTS));
}

function endPresenting() {
  const root = document.documentElement;
  if (!(PRESENTS in root.dataset)) return;
  delete root.dataset[PRESENTS];
  if (document.fullscreenElement === root) document.exitFullscreen();
  dispatchEvent(new Event(PRESENTS));
}

// Tells a frame whether its picture is presented, then calls `changed`. `end` forgets the frame.
class Presented {
  constructor(frame, changed) {
    Object.assign(this, { frame, changed });
    this.leave = document.createElement("button");
    Object.assign(this.leave, { type: "button", className: "kanon-leave", textContent: LEAVE_WORDS });
    this.leave.addEventListener("click", endPresenting);
    this.look = () => this.follow(true);
    addEventListener(PRESENTS, this.look);
  }

  wish(key) {
    this.key = key;
    this.follow(false);
  }

  follow(tell) {
    const now = isPresented(this.key);
    if (now === Boolean(this.on)) return;
    this.on = now;
    this.frame.classList.toggle("presented", now);
    if (now) this.frame.prepend(this.leave);
    else this.leave.remove();
    if (tell) this.changed();
  }

  end() {
    removeEventListener(PRESENTS, this.look);
    if (this.on) setTimeout(() => document.querySelector(".presented") ?? endPresenting(), 1000);
  }
}

if (globalThis.document) { // not in a worker, which loads the same script
  addEventListener("keydown", (event) => event.key === "Escape" && endPresenting());
  document.addEventListener("fullscreenchange", () => document.fullscreenElement ?? endPresenting());
}
