// A list whose lines a person drags, or moves with the keyboard: Alt and the arrows.
const LISTS = new WeakMap();

class OrderList {
  constructor(parent) {
    this.list = document.createElement("ol");
    this.list.className = "kanon-order";
    parent.appendChild(this.list);
    this.list.addEventListener("dragstart", (event) => this.lift(event));
    this.list.addEventListener("dragover", (event) => this.over(event));
    this.list.addEventListener("drop", (event) => event.preventDefault());
    this.list.addEventListener("dragend", () => this.drop());
    this.list.addEventListener("keydown", (event) => this.key(event));
  }

  show({ lines, label, height }) {
    this.list.style.maxHeight = `${height}px`;
    this.list.setAttribute("aria-label", label);
    const text = JSON.stringify(lines);
    if (text === this.shown && !this.moved()) return;
    this.shown = text;
    this.lines = lines.map(([line]) => line);
    this.list.replaceChildren(...lines.map(([line, count]) => item(line, count)));
    const again = [...this.list.children].find((one) => one.dataset.line === this.held);
    again?.focus({ preventScroll: true });
  }

  order() {
    return [...this.list.children].map((one) => one.dataset.line);
  }

  moved() {
    return this.order().some((line, place) => line !== this.lines[place]);
  }

  tell() {
    if (this.moved()) this.send({ lines: this.order(), serial: Date.now() });
  }

  lift(event) {
    this.dragged = event.target.closest("li");
    this.dragged.classList.add("dragged");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", this.dragged.dataset.line);
  }

  over(event) {
    if (!this.dragged) return;
    event.preventDefault();
    const below = event.target.closest("li");
    if (!below || below === this.dragged) return;
    const downwards = this.dragged.compareDocumentPosition(below) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (downwards) below.after(this.dragged);
    else below.before(this.dragged);
  }

  drop() {
    this.dragged?.classList.remove("dragged");
    this.held = null;
    this.dragged = null;
    this.tell();
  }

  key(event) {
    const line = event.target.closest("li");
    const up = event.key === "ArrowUp";
    if (!line || (!up && event.key !== "ArrowDown")) return;
    event.preventDefault();
    const other = up ? line.previousElementSibling : line.nextElementSibling;
    if (!other) return;
    if (!event.altKey) {
      other.focus();
      return;
    }
    if (up) other.before(line);
    else other.after(line);
    line.focus();
    this.held = line.dataset.line;
    this.tell();
  }
}

function item(line, count) {
  const one = document.createElement("li");
  one.draggable = true;
  one.tabIndex = 0;
  one.dataset.line = line;
  const [words, number] = [document.createElement("span"), document.createElement("span")];
  words.textContent = line;
  words.title = line;
  number.textContent = count;
  number.className = "count";
  one.append(words, number);
  return one;
}

export default function ({ data, parentElement, setTriggerValue }) {
  let list = LISTS.get(parentElement);
  if (!list) LISTS.set(parentElement, (list = new OrderList(parentElement)));
  list.send = (order) => setTriggerValue("order", order);
  list.show(data);
  return () => {
    list.list.remove();
    LISTS.delete(parentElement);
  };
}
