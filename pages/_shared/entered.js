// What a person enters on the page is told to it once. Until the page has heard that, what it says is no news.
const UNANSWERED = 10000; // milliseconds; what the page says later is true, even if it never heard

class Entries {
  constructor() {
    this.sent = 0;
  }

  // Whether the page says this in answer to something that was entered before.
  late({ visit, serial }) {
    return visit === this.visit && serial < this.sent && Date.now() - this.since < UNANSWERED;
  }

  // What the page says: whether it is of the same data as before, and leaves what is being entered as it is. Null for
  // what is late; after all else the page has heard everything.
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

// The field of this key. Streamlit may take it off the page for a moment, and draw it anew: then it is the same one.
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
