// Values in an order. The text is the state: the list is drawn from it, and dragging changes it.

class OrderField {
  constructor() {
    this.frame = document.createElement("div");
    this.frame.className = "kanon-values";
    this.frame.innerHTML = `
      <div><p title="Or select a value and press Alt with an arrow key."></p><div class="room"><ol class="kanon-order"></ol></div></div>
      <div><p>or write them, one a line</p>
      <div class="room"><textarea aria-label="One value per line" spellcheck="false"></textarea></div>
      <p class="hint">Press Ctrl and Enter to apply</p></div>`;
    const find = (selector) => this.frame.querySelector(selector);
    [this.words, this.list, this.text, this.hint] = ["p", "ol", "textarea", ".hint"].map(find);
    this.entries = new Entries();
    this.list.addEventListener("dragstart", (event) => this.lift(event));
    this.list.addEventListener("dragover", (event) => this.over(event));
    this.list.addEventListener("drop", (event) => event.preventDefault());
    this.list.addEventListener("dragend", () => this.drop());
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.text.addEventListener("input", () => this.typed());
    this.text.addEventListener("keydown", (event) => this.apply(event));
    this.text.addEventListener("blur", () => this.draft && this.enter());
  }

  show(data) {
    const heard = this.entries.hear(data);
    if (!heard) return;
    this.data = data;
    if (!this.dragged && !(this.draft && heard.same)) this.draw(); // keep what is being typed or dragged
  }

  draw() {
    this.draft = false;
    this.text.value = this.data.text;
    this.list.setAttribute("aria-label", this.data.label);
    for (const room of this.frame.querySelectorAll(".room")) room.style.height = `${this.data.height}px`;
    this.follow();
  }

  // The list from the text; duplicate lines appear once.
  follow() {
    const lines = new Map();
    for (const line of this.text.value.split("\n")) {
      const words = line.trim();
      if (words && !lines.has(words)) lines.set(words, line);
    }
    const many = lines.size > this.data.most;
    this.words.textContent = many
      ? `${lines.size.toLocaleString("en-US")} values are too many to drag:`
      : "Drag the values into order";
    this.list.hidden = many;
    this.hint.hidden = !this.draft;
    const wanted = many ? "" : JSON.stringify([[...lines], this.data.counts]);
    if (wanted === this.drawn && !this.moved()) return;
    [this.drawn, this.lines] = [wanted, many ? [] : [...lines.values()]];
    this.list.replaceChildren(...this.lines.map((line) => item(line, this.data.counts[line.trim()] ?? "–")));
  }

  order() {
    return [...this.list.children].map((one) => one.dataset.line);
  }

  moved() {
    return this.order().some((line, place) => line !== this.lines[place]);
  }

  enter() {
    this.draft = false;
    this.hint.hidden = true;
    this.entries.tell(this.text.value);
  }

  typed() {
    this.draft = true;
    this.follow();
  }

  apply(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && this.draft) this.enter();
    else if (event.key === "Escape" && this.draft) {
      event.stopPropagation(); // the surrounding dialog stays open
      this.draw();
    }
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
    this.dragged = null;
    this.write();
  }

  leave() {
    this.dragged = null;
  }

  // The text from the list.
  write() {
    if (!this.moved()) {
      if (!this.draft) this.draw();
      return;
    }
    this.lines = this.order();
    this.text.value = this.lines.join("\n");
    this.drawn = JSON.stringify([this.lines.map((line) => [line.trim(), line]), this.data.counts]);
    this.enter();
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
    this.write();
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

export default function (drawn) {
  return place(OrderField, drawn);
}
