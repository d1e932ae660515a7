// A number as a field and, if there are stops, as a slider. It holds no state of the page: it shows the
// page's value and sends the user's entries. It keeps showing an entry until the page has answered.

class NumberField {
  constructor() {
    this.frame = document.createElement("div");
    this.frame.className = "kanon-number";
    this.frame.innerHTML = `
      <div class="head"><label for="field"></label><span class="help" tabindex="0">?</span><output></output></div>
      <div class="row"><input id="field" type="text" role="spinbutton" autocomplete="off" spellcheck="false">
      <input type="range" min="0" step="any"></div>
      <p class="hint">Press Enter to apply</p>`;
    const find = (selector) => this.frame.querySelector(selector);
    this.field = find("[type=text]");
    this.slider = find("[type=range]");
    [this.label, this.help, this.output] = [find("label"), find(".help"), find("output")];
    this.hint = find(".hint");
    this.entries = new Entries();
    this.field.addEventListener("input", () => this.typed());
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("blur", () => this.draft && this.enter(this.field.value));
    this.slider.addEventListener("input", () => this.slide());
    this.slider.addEventListener("change", () => this.drop());
    // The slider gets no "change" if it was redrawn during a drag. Events that it does get come before the timer.
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => setTimeout(() => this.drop()));
    this.slider.addEventListener("keydown", (event) => this.step(event));
  }

  show(data) {
    const heard = this.entries.hear(data);
    if (!heard) return;
    if (!heard.alike) this.held = false;
    this.data = data;
    this.stops = Array.isArray(data.stops) ? new Factors(data.stops) : new Ones(data.stops);
    if (!this.held) this.draw(this.draft && heard.same); // keep the text being typed
  }

  draw(keepDraft = false) {
    const { label, name, help, text, shown, value, problem, whole } = this.data;
    this.label.textContent = label;
    this.help.hidden = !help;
    this.help.title = help;
    this.help.setAttribute("aria-label", help);
    this.field.setAttribute("aria-label", name);
    this.field.inputMode = whole ? "numeric" : "decimal";
    if (!keepDraft) {
      this.field.value = text;
      this.draft = false;
    }
    this.slider.hidden = this.output.hidden = this.stops.last < 1;
    this.slider.setAttribute("aria-label", label);
    this.slider.max = Math.max(this.stops.last, 1);
    this.slider.value = this.stops.place(value);
    this.field.title = problem; // the page shows it in place of the result
    this.field.setAttribute("aria-invalid", String(Boolean(problem)));
    this.say(problem ? "–" : shown);
    this.mark();
  }

  say(words) {
    this.output.textContent = words;
    this.slider.setAttribute("aria-valuetext", words);
  }

  mark() {
    this.frame.classList.toggle("waiting", Boolean(this.entries.waiting));
    this.hint.hidden = !this.draft;
    const number = Number(this.field.value);
    if (this.field.value.trim() && Number.isFinite(number)) this.field.setAttribute("aria-valuenow", number);
    else this.field.removeAttribute("aria-valuenow");
  }

  enter(text) {
    this.draft = false;
    this.entries.tell(text);
    this.mark();
  }

  typed() {
    this.draft = true;
    this.mark();
  }

  key(event) {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (event.key === "Enter" && (this.draft || this.entries.waiting)) this.enter(this.field.value);
    else if (event.key === "Escape" && this.draft) this.draw();
    else if (by && this.data.whole && /^\s*\d+\s*$/.test(this.field.value)) {
      event.preventDefault();
      this.field.value = String(Math.max(Number(this.field.value) + by, 0));
      this.typed();
    }
  }

  slide() {
    const at = Math.round(Number(this.slider.value));
    const value = this.stops.at(at);
    this.held = true;
    this.draft = false;
    this.slider.value = at;
    this.field.value = String(value);
    this.say(value.toLocaleString("en-US"));
    this.mark();
  }

  drop() {
    if (!this.held) return;
    this.held = false;
    if (this.field.value !== this.data.text || this.entries.waiting) this.enter(this.field.value);
    else this.draw();
  }

  leave() {
    this.held = false;
  }

  // By keyboard to the next stop; a number between two stops has one on either side.
  step(event) {
    const { last } = this.stops;
    const at = Number(this.slider.value);
    const up = Math.min(Math.floor(at + 1e-9) + 1, last);
    const down = Math.max(Math.ceil(at - 1e-9) - 1, 0);
    const keys = { ArrowRight: up, ArrowUp: up, PageUp: up, ArrowLeft: down, ArrowDown: down, PageDown: down, Home: 0 };
    const to = { ...keys, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.slider.value = to;
    this.slide();
    this.drop();
  }
}

// Stops of a slider at equal distances, although factors apart: 2.5 is between the third and the fourth.
class Factors {
  constructor(values) {
    this.values = values;
    this.last = values.length - 1;
  }

  at(place) {
    return this.values[place];
  }

  place(value) {
    if (this.last < 1) return 0;
    const above = this.values.findIndex((stop) => stop >= value);
    if (above === 0) return 0;
    if (above < 0) return this.last;
    if (this.values[above] === value) return above;
    const [low, high] = [this.values[above - 1], this.values[above]];
    return above - 1 + Math.min(Math.max(Math.log(value / low) / Math.log(high / low), 0.05), 0.95);
  }
}

// Every whole number from the first to the last.
class Ones {
  constructor({ first, last }) {
    this.first = first;
    this.last = last - first;
  }

  at(place) {
    return this.first + place;
  }

  place(value) {
    return Math.min(Math.max(value - this.first, 0), this.last);
  }
}

export default function (drawn) {
  return place(NumberField, drawn);
}
