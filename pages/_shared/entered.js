// What the user enters is sent to the page once. Until the page has received it, the page's values are outdated.
const UNANSWERED = 10000; // milliseconds; later values of the page are current, even if it never received the entry

class Entries {
  constructor() {
    this.sent = 0;
  }

  // Whether this value of the page answers an earlier entry.
  late({ visit, serial }) {
    return visit === this.visit && serial < this.sent && Date.now() - this.since < UNANSWERED;
  }

  // A value of the page: whether it belongs to the same data as before and keeps the text being entered. Null if it
  // is late; after any other the page has received everything.
  hear(data) {
    if (this.late(data.heard)) return null;
    const { visit, serial } = data.heard;
    const alike = data.scope === this.data?.scope;
    const same = alike && (this.waiting || data.text === this.data.text);
    this.sent = visit === this.visit ? Math.max(serial, this.sent) : serial;
    this.visit = visit;
    this.waiting = false;
    this.data = data;
    return { alike, same };
  }

  tell(text) {
    this.waiting = true;
    this.since = Date.now();
    this.sent += 1;
    this.send({ text, serial: this.sent, scope: this.data.scope });
  }
}

const KEPT = new Map();

// The field of this key. Streamlit may remove and redraw it for a moment: then it is the same one.
function place(Field, { data, parentElement, setTriggerValue }) {
  let field = KEPT.get(data.key);
  if (!field) KEPT.set(data.key, (field = new Field()));
  if (field.frame.parentNode !== parentElement) parentElement.appendChild(field.frame);
  field.entries.send = (entered) => setTriggerValue("entered", entered);
  field.show(data);
  return () => {
    if (field.frame.parentNode !== parentElement) return;
    field.leave();
    field.frame.remove();
  };
}
