// A number as a field and, where there are stops, as a slider. It holds no state of the page: it shows what the page
// says, and tells the page what a person entered. What it has told and is not answered yet, it goes on showing.
const FIELDS = new WeakMap();
const UNANSWERED = 3000; // milliseconds; what the page says later is true, even if it never heard

class NumberField {
  constructor(parent) {
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
    parent.appendChild(this.frame);
    this.sent = 0;
    this.field.addEventListener("input", () => this.typed());
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("blur", () => this.draft && this.enter(this.field.value));
    this.slider.addEventListener("input", () => this.slide());
    this.slider.addEventListener("change", () => this.drop());
    this.slider.addEventListener("keydown", (event) => this.step(event));
  }

  // `heard` is the last thing that the page has heard from this place.
  show(data) {
    const { visit, serial } = data.heard;
    const late = visit === this.visit && serial < this.sent && Date.now() - this.since < UNANSWERED;
    if (late) return; // the answer to something that a person entered before
    const same = data.scope === this.data?.scope && (this.waiting || data.text === this.data.text);
    this.sent = visit === this.visit ? Math.max(serial, this.sent) : serial;
    [this.visit, this.waiting, this.data] = [visit, false, data];
    if (!this.held) this.draw(this.draft && same); // what is being typed stays
  }

  draw(keepDraft = false) {
    const { label, name, help, text, shown, stops, value, problem, whole } = this.data;
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
    this.slider.hidden = this.output.hidden = stops.length < 2;
    this.slider.setAttribute("aria-label", label);
    this.slider.max = Math.max(stops.length - 1, 1);
    this.slider.value = place(stops, value);
    this.field.title = problem; // the page says it where the result would stand
    this.field.setAttribute("aria-invalid", String(Boolean(problem)));
    this.say(problem ? "–" : shown);
    this.mark();
  }

  say(words) {
    this.output.textContent = words;
    this.slider.setAttribute("aria-valuetext", words);
  }

  mark() {
    this.frame.classList.toggle("waiting", Boolean(this.waiting));
    this.hint.hidden = !this.draft;
    const number = Number(this.field.value);
    if (this.field.value.trim() && Number.isFinite(number)) this.field.setAttribute("aria-valuenow", number);
    else this.field.removeAttribute("aria-valuenow");
  }

  enter(text) {
    this.draft = false;
    this.waiting = true;
    this.since = Date.now();
    this.sent += 1;
    this.send({ text, serial: this.sent, scope: this.data.scope });
    this.mark();
  }

  typed() {
    this.draft = true;
    this.mark();
  }

  key(event) {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (event.key === "Enter" && (this.draft || this.waiting)) this.enter(this.field.value);
    else if (event.key === "Escape" && this.draft) this.draw();
    else if (by && this.data.whole && /^\s*\d+\s*$/.test(this.field.value)) {
      event.preventDefault();
      this.field.value = String(Math.max(Number(this.field.value) + by, 0));
      this.typed();
    }
  }

  slide() {
    const { stops } = this.data;
    const at = Math.round(Number(this.slider.value));
    this.held = true;
    this.draft = false;
    this.slider.value = at;
    this.field.value = String(stops[at]);
    this.say(stops[at].toLocaleString("en-US"));
    this.mark();
  }

  drop() {
    this.held = false;
    if (this.field.value !== this.data.text || this.waiting) this.enter(this.field.value);
    else this.draw();
  }

  // By keyboard from where it stands to the next stop; a number between two stops has one on either side.
  step(event) {
    const last = this.data.stops.length - 1;
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

// Where a value stands among the stops: 2.5 is half way, as factors count, between the third and the fourth.
function place(stops, value) {
  if (stops.length < 2) return 0;
  const above = stops.findIndex((stop) => stop >= value);
  if (above === 0) return 0;
  if (above < 0) return stops.length - 1;
  if (stops[above] === value) return above;
  const [low, high] = [stops[above - 1], stops[above]];
  return above - 1 + Math.min(Math.max(Math.log(value / low) / Math.log(high / low), 0.05), 0.95);
}

export default function ({ data, parentElement, setTriggerValue }) {
  let field = FIELDS.get(parentElement);
  if (!field) FIELDS.set(parentElement, (field = new NumberField(parentElement)));
  field.send = (entered) => setTriggerValue("entered", entered);
  field.show(data);
  return () => {
    field.frame.remove();
    FIELDS.delete(parentElement);
  };
}
