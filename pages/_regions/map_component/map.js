// The map of the page. It stays while results change: the shapes are sent once, and a result is a number for each area.
// While it is moved, the painted picture moves along; at rest, or if it no longer fills the frame, it is repainted.
const KEPT = (globalThis.__kanonMaps ??= new Map()); // of each key: Streamlit may take it off the page for a moment
const TEXT = 14; // pixels of text around the map, at the usual size of labels
const REST = 120; // milliseconds without movement before it is repainted
const MARGIN = 96; // pixels painted beyond each edge
const AROUND_ALL = [10, 48, 44, 14]; // reserved pixels: left, right, top, bottom
const CLEAR = 3; // pixels around the boxes over the map
const STEP = 60; // pixels that an arrow key moves
const DEEPEST = 8192; // times the scale that shows everything: finer than the precision of corners
const ON_PAPER = { paper: "#ffffff", ink: "#17212b" };
const WAITING = "Drawing the map …";
const FORGET = 5000; // milliseconds off the page before pixels are freed

const BUTTONS = {
  in: ["Zoom in", "M8 2v12M2 8h12"],
  out: ["Zoom out", "M2 8h12"],
  all: ["Show the whole map", "M2 8l6-6 6 6M4 7v7h8V7"],
  full: ["Full screen", "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4"],
  present: [PRESENT_WORDS, "M1 3h14M2 3v8h12V3M8 11v2M5 15l3-3 3 3"],
  save: ["Download this picture as PNG", "M8 2v8M4 7l4 4 4-4M2 14h12"],
};

const GROUPS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };

function decoded(text, type = "u1") {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new GROUPS[type](bytes.buffer);
}

class AreaMap {
  constructor() {
    this.frame = element("div", "kanon-picture kanon-map");
    this.frame.style.setProperty("--kanon-mark", MARK);
    this.frame.picture = this;
    this.frame.setAttribute("role", "figure");
    this.layer = element("div", "layer");
    this.cross = element("div", "cross");
    this.stage = element("div", "stage", this.layer, this.cross);
    this.stage.tabIndex = 0;
    this.stage.setAttribute("role", "application");
    this.told = element("p", "unseen"); // the text alternative
    this.told.id = `kanon-map-${Math.random().toString(36).slice(2)}`;
    this.stage.setAttribute("aria-describedby", this.told.id);
    this.spoken = element("p", "unseen"); // the result of a key press
    this.spoken.setAttribute("role", "status");
    this.note = element("p", "note", WAITING);
    this.note.setAttribute("role", "status");
    this.tip = element("div", "tip");
    this.tip.hidden = true;
    this.card = element("div", "card");
    this.card.setAttribute("role", "status");
    this.legend = element("div", "legend");
    this.scale = element("div", "scale");
    this.search = new Search((area) => this.find(area));
    this.buttons = element("div", "buttons", ...Object.keys(BUTTONS).map((name) => this.button(name)));
    this.frame.append(this.search.frame, this.stage, this.buttons, this.card, this.legend, this.scale);
    this.frame.append(this.tip, this.note, this.told, this.spoken);
    this.sheet = element("div", "sheet"); // the sheet for printing
    this.frame.append(this.sheet);
    addEventListener("beforeprint", () => this.print());
    addEventListener("afterprint", () => this.sheet.replaceChildren());
    this.presented = new Presented(this.frame, () => this.resized());
    this.frame.classList.add("waiting");
    this.mark = null;
    this.held = new Map(); // the pressed pointers and their positions
    this.listen();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.stage);
    this.tall = new Rest(this.frame, (pixels) => this.frame.style.setProperty("--height", `${pixels}px`));
  }

  button(name) {
    const [words, lines] = BUTTONS[name];
    const made = element("button");
    made.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${lines}"/></svg>`;
    Object.assign(made, { type: "button", title: words, className: name });
    made.setAttribute("aria-label", words);
    const acts = {
      in: () => this.zoom(1.6),
      out: () => this.zoom(1 / 1.6),
      all: () => this.showAll(),
      full: () => (document.fullscreenElement ? document.exitFullscreen() : this.frame.requestFullscreen()),
      present: () => (this.presented.on ? endPresenting() : present(this.presented.key)),
      save: () => this.save(),
    };
    made.addEventListener("click", acts[name]);
    return made;
  }

  // Of the results that arrive while one is drawn, only the last is worth drawing.
  async draw(data) {
    this.wanted = data;
    if (this.busy) return;
    this.busy = true;
    while (this.wanted) {
      const next = this.wanted;
      this.wanted = null;
      try {
        await this.show(next);
        this.note.textContent = this.shapes.parts.length > 1 ? "" : "None of these areas has a shape.";
      } catch (error) {
        this.note.textContent = error.message;
      }
    }
    this.busy = false;
  }

  async show(data) {
    this.presented.wish(data.presents);
    this.buttons.children[Object.keys(BUTTONS).indexOf("present")].hidden = !data.presents;
    this.tall.wish(data.height);
    this.together = data.together;
    this.frame.setAttribute("aria-label", data.label);
    this.stage.setAttribute("aria-label", "Map: arrow keys move it, plus and minus zoom, 0 shows everything, Enter chooses");
    this.told.textContent = data.told;
    const shapes = await loadShapes(data.shapes, data.url);
    if (this.shapes !== shapes) this.begin(shapes);
    if (this.digest !== data.digest) this.take(data);
    if (this.measure()) await this.paint(); // at once: a page in the background has no animation frames
  }

  // Other areas than before.
  begin(shapes) {
    this.shapes = this.search.shapes = shapes;
    this.painter?.release();
    this.painter = new Painter(shapes);
    this.layer.replaceChildren(this.painter.canvas);
    this.view = this.painted = this.mark = this.digest = null;
    this.whole = true; // everything is shown until the user moves it
  }

  // Another result for these areas.
  take(data) {
    const { shapes } = this;
    const groups = decoded(data.groups, data.type);
    const numbers = Array.from({ length: data.classes }, (_, group) => String(group + 1));
    const labels = data.names ?? (data.numbered ? numbers : numbers.map(() => ""));
    const colors = decoded(data.colors);
    const changed = data.changed ? decoded(data.changed) : null;
    const look = lookOf({ ...data, groups, colors, changed }, shapes.count);
    const lines = {};
    for (const [kind, pairs] of Object.entries(data.lines)) lines[kind] = decoded(pairs, "u4");
    if (shapes.joins.length) lines.join = shapes.joins;
    this.words = new Words(shapes, { groups, classes: data.classes, unit: data.unit });
    this.groups = groups;
    this.source = data.shapes; // the shapes that area numbers refer to
    this.chosen = data.chosen;
    this.filename = data.filename;
    this.title = data.label;
    this.digest = data.digest;
    if (this.chosen === null || (this.mark !== null && groups[this.mark] - 1 !== this.chosen)) this.mark = null;
    this.picked = data.picked;
    this.numbers = numbers;
    this.scene = { look, labels, lines, places: data.places, font: getComputedStyle(this.frame).fontFamily };
    this.legend.replaceChildren(...legendRows(data, look, lines, shapes));
    this.showCard();
    this.fresh = true;
  }

  // Whether there is room to draw; `room` is what the painter needs to know about it.
  measure() {
    const { clientWidth: width, clientHeight: height } = this.stage;
    const ratio = Math.min(devicePixelRatio || 1, 3);
    const { room } = this;
    if (width && height && (room?.width !== width || room.height !== height || room.ratio !== ratio)) {
      this.room = { width, height, margin: MARGIN, ratio };
      if (this.shapes && this.view && this.whole) this.view = this.fitted();
      if (this.painter) this.painter.labeled = null; // their positions may change
      this.fresh = true;
    }
    if (this.shapes && this.room && !this.view) {
      const { view, whole } = this.others().find((map) => map.view) ?? { view: this.fitted(), whole: true };
      [this.view, this.whole] = [{ ...view }, whole];
    }
    return Boolean(width && height && this.view && this.fresh);
  }

  resize() {
    if (this.measure()) this.paint();
  }

  // The text size changed, and so did the remaining space.
  resized() {
    if (!this.painter) return;
    this.tall.measure();
    this.painter.labeled = null;
    this.fresh = true;
    this.resize();
  }

  // The view that shows everything, clear of the boxes around the map.
  fitted() {
    const [west, south, east, north] = this.shapes.box;
    const { width, height } = this.room;
    const [left, right, top, bottom] = AROUND_ALL;
    const across = Math.max(width - left - right, 50) / Math.max(east - west, 1e-9);
    const along = Math.max(height - top - bottom, 50) / Math.max(north - south, 1e-9);
    const scale = Math.min(across, along);
    const [x, y] = [(west + east + (right - left) / scale) / 2, (south + north + (top - bottom) / scale) / 2];
    return { x, y, scale };
  }

  // Of the requests during painting, the last is painted next.
  paint(calm = false) {
    clearTimeout(this.rest);
    this.next = { calm };
    this.painting ??= this.paintAll().finally(() => (this.painting = null));
    return this.painting;
  }

  async paintAll() {
    while (this.next) {
      const { calm } = this.next;
      this.next = null;
      await this.paintOnce(calm);
    }
  }

  async paintOnce(calm) {
    this.showScale(); // labels keep clear of it
    const { painter, view, room, mark, picked, digest } = this;
    const scene = { ...this.scene, large: parseFloat(getComputedStyle(this.frame).fontSize) / TEXT };
    this.fresh = false;
    const painted = await painter.paint(view, room, { ...scene, mark, picked, shut: this.shut() }, calm);
    if (painter !== this.painter) return; // of other areas
    if (this.view === view) this.view = painted; // otherwise it was moved meanwhile
    Object.assign(this, { painted, paintedIn: room });
    painter.beside();
    if (painter.rough && !this.next) this.rest = setTimeout(() => this.settle(), REST);
    this.place();
    this.frame.classList.remove("waiting");
    this.frame.dataset.drawn = digest; // says which result is visible
  }

  // The boxes over the map, in pixels from the corner of the painted picture.
  shut() {
    const stage = this.stage.getBoundingClientRect();
    const over = [this.search.frame, this.buttons, this.card, this.legend, this.scale, this.scale.firstElementChild];
    over.push(this.presented.leave);
    const boxes = over.filter((one) => one?.clientWidth).map((one) => one.getBoundingClientRect());
    return boxes.map(({ left, top, right, bottom }) => {
      const [x, y] = [MARGIN - stage.left, MARGIN - stage.top];
      return [left + x - CLEAR, top + y - CLEAR, right + x + CLEAR, bottom + y + CLEAR];
    });
  }

  // Moves the painted picture to the view's position.
  place() {
    const { view, painted, layer } = this;
    const right = (painted.x - view.x) * view.scale;
    const down = (view.y - painted.y) * view.scale;
    const { width, height, margin } = this.paintedIn;
    const times = view.scale / painted.scale;
    Object.assign(layer.style, { width: `${width + 2 * margin}px`, height: `${height + 2 * margin}px` });
    Object.assign(layer.style, { left: `${-margin}px`, top: `${-margin}px` });
    layer.style.transform = `translate(${right}px, ${down}px) scale(${times})`;
    const reach = (length, by) => times * (length / 2 + margin) - Math.abs(by) - length / 2;
    this.bare = reach(width, right) < 0 || reach(height, down) < 0;
  }

  moved() {
    this.whole = false;
    this.stir();
    this.lead();
  }

  // The other maps that move together with this one.
  others() {
    const with_ = (map) => map !== this && map.together === this.together && map.shapes === this.shapes;
    return this.together ? [...KEPT.values()].filter((map) => with_(map) && map.frame.isConnected) : [];
  }

  lead() {
    for (const map of this.others()) {
      [map.view, map.whole] = [{ ...this.view }, this.whole];
      map.stir();
    }
  }

  // The picture is moved to the view, and repainted there as soon as there is time.
  stir() {
    this.asked ??= requestAnimationFrame(() => {
      this.asked = null;
      if (!this.painted) return;
      this.place();
      clearTimeout(this.rest);
      if (this.bare && !this.painting) this.paint();
      else this.rest = setTimeout(() => this.settle(), REST);
    });
  }

  async settle() {
    if (this.held.size) return this.bare && this.paint(); // smooth on release
    await this.paint(true);
    if (this.frame.classList.contains("keys")) this.speak();
  }

  shift(right, down) {
    this.view = { ...this.view, x: this.view.x + right / this.view.scale, y: this.view.y - down / this.view.scale };
    this.moved();
  }

  // Around a point of the stage, or its middle.
  zoom(times, [x, y] = [this.room.width / 2, this.room.height / 2]) {
    if (!this.view) return;
    const least = this.fitted().scale;
    const scale = Math.min(Math.max(this.view.scale * times, least / 4), least * DEEPEST);
    const [right, down] = [x - this.room.width / 2, y - this.room.height / 2];
    const kept = 1 / this.view.scale - 1 / scale;
    this.view = { x: this.view.x + right * kept, y: this.view.y - down * kept, scale };
    this.moved();
  }

  showAll() {
    if (!this.view) return;
    this.view = this.fitted();
    this.moved();
    this.whole = true;
    this.lead();
  }

  // To a searched area: it is marked and shown with its surroundings, and its group is chosen.
  find(area) {
    if (!this.view) return;
    this.mark = area;
    if (this.shapes.hasShape(area)) {
      const [west, south, east, north] = this.shapes.boxes.subarray(4 * area, 4 * area + 4);
      const { width, height } = this.room;
      const least = this.fitted().scale;
      const wanted = 0.15 * Math.min(width / Math.max(east - west, 1e-9), height / Math.max(north - south, 1e-9));
      const scale = Math.min(Math.max(wanted, least), least * DEEPEST);
      this.view = { x: (west + east) / 2, y: (south + north) / 2, scale };
      this.whole = false;
    }
    this.showCard();
    this.paint();
    this.lead();
    this.tell(area, true);
  }

  choose(area) {
    if (area < 0) return;
    this.mark = area;
    this.tip.hidden = true;
    this.showCard();
    this.paint();
    this.tell(area, false);
  }

  tell(area, found) {
    this.serial = Math.max(Date.now(), (this.serial ?? 0) + 1);
    this.send({ area, found, shapes: this.source, serial: this.serial });
  }

  areaAt([x, y]) {
    const { view, room } = this;
    const [right, down] = [x - room.width / 2, y - room.height / 2];
    return this.shapes.areaAt(view.x + right / view.scale, view.y - down / view.scale);
  }

  showCard() {
    const lines = [];
    if (this.mark !== null) lines.push(...this.words.area(this.mark));
    else if (this.chosen !== null) lines.push(this.words.group(this.chosen));
    const group = this.mark !== null ? this.groups[this.mark] - 1 : (this.chosen ?? -1);
    if (group >= 0 && this.words.sums[group].areas > 1) lines.push(this.words.members(group));
    this.card.replaceChildren(...lines.map((line, i) => element(i ? "div" : "strong", "", line)));
  }

  showScale() {
    const found = scaleFor(this.shapes, this.view);
    this.scale.hidden = !found;
    if (!found) return;
    const bar = element("i", "");
    bar.style.width = `${found.width}px`;
    this.scale.replaceChildren(element("span", "north", "N"), element("span", "", found.words), bar);
  }

  showTip(area, [x, y]) {
    this.tip.hidden = area < 0 || area === this.mark; // the card already has the marked area's facts
    if (this.tip.hidden) return;
    if (this.hovered !== area) {
      this.tip.replaceChildren(...this.words.area(area).map((line, i) => element(i ? "div" : "strong", "", line)));
      this.hovered = area;
    }
    const { width, height } = this.room;
    const beside = x + 14 + this.tip.offsetWidth > width ? x - 14 - this.tip.offsetWidth : x + 14;
    const below = y + 14 + this.tip.offsetHeight > height ? y - 14 - this.tip.offsetHeight : y + 14;
    this.tip.style.transform = `translate(${Math.max(beside, 0)}px, ${Math.max(below, 0)}px)`;
  }

  speak() {
    const area = this.areaAt([this.room.width / 2, this.room.height / 2]);
    this.spoken.textContent = area < 0 ? "No area in the middle" : this.words.area(area).join(". ");
  }

  // The picture as it is on the screen, twice as fine, with its title, legend and scale; nothing of a single area.
  async save() {
    if (!this.painted) return;
    const { width, height } = this.room;
    const painter = new Painter(this.shapes);
    const labels = this.scene.labels.map((label, group) => label && this.numbers[group]); // a name reveals areas
    const scene = { ...this.scene, labels, mark: null, picked: [], places: false };
    await painter.paint(this.view, { width, height, margin: 0, ratio: 2 }, scene);
    const canvas = framed(painter.canvas, this.title, this.legend, scaleFor(this.shapes, this.view), inks(this.frame));
    const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
    const link = element("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${this.filename}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  // The window is printed: the picture as it is on the screen, on white, with its title, legend and scale.
  print() {
    if (!this.painted || !this.stage.clientWidth) return;
    const { width, height, margin, ratio } = this.paintedIn;
    const cut = blank(2 * width, 2 * height);
    const box = [margin, margin, width, height].map((length) => length * ratio);
    cut.getContext("2d").drawImage(this.painter.canvas, ...box, 0, 0, 2 * width, 2 * height);
    const scale = scaleFor(this.shapes, this.painted);
    this.sheet.replaceChildren(framed(cut, this.title, this.legend, scale, { ...inks(this.frame), ...ON_PAPER }));
  }

  listen() {
    const { stage } = this;
    const at = (event) => {
      const box = stage.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const { held } = this;
    stage.addEventListener("pointerdown", (event) => {
      this.frame.classList.remove("keys");
      held.set(event.pointerId, at(event));
      this.far = held.size > 1 ? Infinity : 0; // drag distance: two fingers choose nothing
    });
    stage.addEventListener("pointermove", (event) => {
      if (!this.painted) return;
      const before = held.get(event.pointerId);
      const now = at(event);
      if (!before) return this.showTip(this.areaAt(now), now);
      this.tip.hidden = true;
      this.far += Math.hypot(now[0] - before[0], now[1] - before[1]);
      if (this.far < 4) return; // a click with an unsteady hand
      if (!stage.hasPointerCapture(event.pointerId)) stage.setPointerCapture(event.pointerId);
      const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const apart = (point) => Math.max(Math.hypot(point[0] - other[0], point[1] - other[1]), 1);
        this.shift((before[0] - now[0]) / 2, (before[1] - now[1]) / 2);
        this.zoom(apart(now) / apart(before), [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]);
      } else this.shift(before[0] - now[0], before[1] - now[1]);
      held.set(event.pointerId, now);
    });
    const up = (event) => {
      if (!held.delete(event.pointerId) || !this.painted) return;
      if (this.far >= 4) this.moved();
      else if (event.type === "pointerup") this.choose(this.areaAt(at(event)));
    };
    for (const name of ["pointerup", "pointercancel"]) stage.addEventListener(name, up);
    stage.addEventListener("pointerleave", () => (this.tip.hidden = true));
    const wheel = (event) => {
      if (document.activeElement !== stage && !event.ctrlKey) return this.hint(); // the page scrolls
      event.preventDefault();
      const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
      this.zoom(2 ** (-pixels / (event.ctrlKey ? 100 : 300)), at(event));
    };
    stage.addEventListener("wheel", wheel, { passive: false });
    stage.addEventListener("keydown", (event) => this.key(event));
    // If the user moved the focus, leave it there; otherwise the map was taken off the page.
    this.frame.addEventListener("focusout", (event) => (this.lost = event.relatedTarget ? null : event.target));
    document.addEventListener("pointerdown", ({ target }) => this.frame.contains(target) || (this.lost = null));
  }

  hint() {
    this.note.textContent = "Click the map to zoom with the wheel";
    clearTimeout(this.hinted);
    this.hinted = setTimeout(() => (this.note.textContent = ""), 1200);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.painted) return;
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const times = { "+": 1.5, "=": 1.5, "-": 1 / 1.5, "−": 1 / 1.5 }[event.key];
    const move = moves[event.key];
    if (move) this.shift(move[0] * STEP, move[1] * STEP);
    else if (times) this.zoom(times);
    else if (event.key === "0") this.showAll();
    else if (event.key === "p" && this.presented.key) this.presented.on ? endPresenting() : present(this.presented.key);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.areaAt([this.room.width / 2, this.room.height / 2]));
    else return;
    this.frame.classList.add("keys");
    event.preventDefault();
  }

  // Onto the page, or to another place on it; with the focus, if it had it when it was taken off.
  enter(parent) {
    parent.appendChild(this.frame);
    if (document.activeElement === document.body) this.lost?.focus({ preventScroll: true });
  }

  // Off the page: if it does not return, only the view is kept.
  leave() {
    this.frame.remove();
    setTimeout(() => {
      if (this.frame.isConnected) return;
      if (this.presented.on) endPresenting();
      this.painter?.release();
      this.note.textContent = WAITING;
      this.frame.classList.add("waiting");
      delete this.frame.dataset.drawn;
      this.fresh = true;
    }, FORGET);
  }
}

// Colors and fonts of the elements around the map.
function inks(frame) {
  const style = getComputedStyle(frame);
  const [paper, ink] = ["--st-background-color", "--st-text-color"].map((name) => style.getPropertyValue(name).trim());
  return { paper, ink, letters: style.fontFamily };
}

// The painted map with its title above, legend and scale below.
function framed(painted, title, legend, scale, { paper, ink, letters }) {
  const rows = [...legend.children].filter((row) => !row.classList.contains("strip") && !row.classList.contains("ticks"));
  const strip = legend.querySelector(".strip");
  const canvas = element("canvas");
  const [head, foot] = [40, 26 + 20 * rows.length + (strip ? 34 : 0)];
  [canvas.width, canvas.height] = [painted.width, painted.height + 2 * (head + foot)];
  const pen = canvas.getContext("2d");
  pen.fillStyle = paper;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(painted, 0, 2 * head);
  pen.scale(2, 2);
  Object.assign(pen, { fillStyle: ink, strokeStyle: ink, textBaseline: "middle", font: `16px ${letters}` });
  pen.fillText(title, 10, head / 2);
  pen.font = `13px ${letters}`;
  let y = head + painted.height / 2 + 14;
  for (const row of rows) {
    const line = row.querySelector(".line");
    if (line) {
      Object.assign(pen, { strokeStyle: line.style.borderTopColor, lineWidth: parseFloat(line.style.borderTopWidth) });
      pen.setLineDash(line.style.borderTopStyle === "dashed" ? [6, 4] : []);
      pen.beginPath();
      pen.moveTo(10, y);
      pen.lineTo(34, y);
      pen.stroke();
      pen.setLineDash([]);
    }
    pen.fillText(row.textContent, line ? 42 : 10, y);
    y += 20;
  }
  if (strip) {
    const colors = strip.style.background.match(/rgb\([^)]*\)/g);
    colors.forEach((color, i) => {
      pen.fillStyle = color;
      pen.fillRect(10 + (200 * i) / colors.length, y - 6, 200 / colors.length + 1, 10);
    });
    pen.fillStyle = ink;
    pen.textAlign = "center";
    for (const mark of legend.querySelectorAll(".ticks span"))
      pen.fillText(mark.textContent, 10 + 2 * parseFloat(mark.style.left) + (parseFloat(mark.style.left) ? 0 : 12), y + 14);
    pen.textAlign = "left";
  }
  if (scale) {
    const right = canvas.width / 2 - 12;
    y = canvas.height / 2 - 12;
    Object.assign(pen, { strokeStyle: ink, lineWidth: 2, textAlign: "right" });
    pen.strokeRect(right - scale.width, y, scale.width, 0.01);
    pen.fillText(scale.words, right, y - 10);
    pen.fillText("N ↑", right - Math.max(scale.width, pen.measureText(scale.words).width) - 14, y - 5);
  }
  return canvas;
}

export default function ({ data, parentElement, setTriggerValue }) {
  let map = KEPT.get(data.key);
  if (!map) KEPT.set(data.key, (map = new AreaMap()));
  if (map.frame.parentNode !== parentElement) map.enter(parentElement);
  map.send = (event) => setTriggerValue("event", event);
  map.draw(data);
  return () => {
    if (map.frame.parentNode === parentElement) map.leave();
  };
}
