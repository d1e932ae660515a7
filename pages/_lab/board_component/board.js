// Points, areas with borders, or labels as bars, to draw by hand. The page owns the drawing: a change is sent
// to it and drawn here at once; the page answers with the same drawing and an algorithm's groups.

const SVG = "http://www.w3.org/2000/svg";
const RADIUS = 15; // pixels
const STILL = 4; // pixels that a click may move
const EDGE = 26; // pixels reserved around the drawing
const SPAN = 8; // minimum width and height of a plane, in its own unit

const KINDS = {
  points: "Click to add a point; drag a point to move it. Click a point to change or delete it.",
  graph: "Click to add an area; drag an area to move it. Click two areas to join or separate them.",
  bars: "Drag a bar's end, or click a bar to change or delete it.",
};

class Board {
  constructor() {
    this.frame = document.createElement("div");
    this.frame.className = "kanon-board";
    this.frame.innerHTML = `
      <div class="bar"><span class="words" aria-live="polite"></span>
      <span class="own"><button type="button" data-do="less" aria-label="Less weight">−</button>
      <button type="button" data-do="more" aria-label="More weight">+</button>
      <button type="button" data-do="delete">Delete</button></span>
      <button type="button" data-do="add">Add</button><button type="button" data-do="undo">Undo</button></div>
      <svg role="group"></svg>`;
    const find = (selector) => this.frame.querySelector(selector);
    [this.words, this.own, this.svg] = [find(".words"), find(".own"), find("svg")];
    this.entries = new Entries();
    this.chosen = -1;
    this.drawing = { items: [], edges: [] };
    this.frame.addEventListener("click", (event) => this.press(event.target.closest("button")));
    this.frame.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("pointerdown", (event) => this.down(event));
    this.svg.addEventListener("pointermove", (event) => this.move(event));
    this.svg.addEventListener("pointerup", (event) => this.up(event));
    this.svg.addEventListener("pointercancel", () => this.leave());
    this.sizes = new ResizeObserver(() => this.data && this.draw());
    this.sizes.observe(this.svg);
  }

  show(data) {
    const heard = this.entries.hear(data);
    if (!heard) return;
    if (!heard.alike || data.kind !== this.kind) this.chosen = -1;
    this.data = data;
    this.kind = data.kind;
    if (this.held) return; // what is being dragged stays
    const told = JSON.parse(data.text);
    if (JSON.stringify(told.items) !== JSON.stringify(this.drawing.items)) this.view = null;
    this.drawing = told;
    this.groups = data.groups;
    if (this.chosen >= told.items.length) this.chosen = -1;
    this.draw();
  }

  // Change the drawing, draw it, and tell the page.
  change(make) {
    const next = { items: this.drawing.items.map((item) => [...item]), edges: this.drawing.edges.map((edge) => [...edge]) };
    make(next);
    if (JSON.stringify(next) === JSON.stringify(this.drawing)) return this.draw();
    const alike = next.items.length === this.drawing.items.length;
    this.drawing = next;
    if (!alike) this.groups = [];
    this.draw();
    this.entries.tell(JSON.stringify(next));
  }

  press(button) {
    const action = button?.dataset.do;
    if (!action) return;
    if (action === "undo") this.undo();
    else if (action === "add") this.add();
    else if (this.chosen >= 0 && action === "delete") this.remove(this.chosen);
    else if (this.chosen >= 0) this.weigh(this.chosen, action === "more" ? 1 : -1);
  }

  undo() {
    if (this.data.past) this.entries.tell("undo");
  }

  add(at) {
    if (this.drawing.items.length >= this.data.most) return;
    const [x, y] = at ?? this.free();
    const weight = this.chosen >= 0 ? this.drawing.items[this.chosen][2] : 1;
    this.chosen = this.drawing.items.length;
    this.change((next) => next.items.push([x, y, weight]));
    if (!at) this.focus(this.chosen);
  }

  // A free place, searched from the middle outward.
  free() {
    if (this.kind === "bars") return [0, 0];
    const { x, y, width, height } = this.look();
    const [middle, center] = [Math.round(x + width / 2), Math.round(y + height / 2)];
    for (let around = 0; around < 100; around += 1)
      for (let dx = -around; dx <= around; dx += 1)
        for (let dy = -around; dy <= around; dy += 1)
          if (!this.drawing.items.some((item) => item[0] === middle + dx && item[1] === center + dy))
            return [middle + dx, center + dy];
    return [middle, center];
  }

  remove(place) {
    this.chosen = -1;
    this.change((next) => {
      next.items.splice(place, 1);
      next.edges = next.edges
        .filter((edge) => !edge.includes(place))
        .map((edge) => edge.map((end) => (end > place ? end - 1 : end)));
    });
    this.svg.querySelector(".item")?.focus();
  }

  weigh(place, by) {
    this.change((next) => {
      next.items[place][2] = Math.max(next.items[place][2] + by, this.data.least);
    });
  }

  // A click on an area while another is chosen joins or separates them.
  pick(place) {
    const other = this.chosen;
    if (this.kind === "graph" && other >= 0 && other !== place) {
      this.chosen = -1;
      const pair = [Math.min(place, other), Math.max(place, other)];
      this.change((next) => {
        const known = next.edges.findIndex((edge) => edge[0] === pair[0] && edge[1] === pair[1]);
        if (known < 0) next.edges.push(pair);
        else next.edges.splice(known, 1);
        next.edges.sort((one, two) => one[0] - two[0] || one[1] - two[1]);
      });
    } else {
      this.chosen = other === place ? -1 : place;
      this.draw();
    }
    this.focus(place);
  }

  focus(place) {
    this.svg.querySelector(`[data-place="${place}"]`)?.focus({ preventScroll: true });
  }

  down(event) {
    if (event.button) return;
    const item = event.target.closest(".item");
    this.start = [event.clientX, event.clientY];
    this.held = { place: item ? Number(item.dataset.place) : -1, moved: false };
    this.svg.setPointerCapture(event.pointerId);
    event.preventDefault();
  }

  move(event) {
    if (!this.held) return;
    const away = Math.hypot(event.clientX - this.start[0], event.clientY - this.start[1]);
    this.held.moved ||= away > STILL;
    if (!this.held.moved || this.held.place < 0) return;
    this.shift(this.held.place, event);
    this.draw();
  }

  shift(place, event) {
    const [x, y] = this.at(event);
    this.held.items ??= this.drawing.items.map((item) => [...item]);
    const item = this.held.items[place];
    if (this.kind === "bars") item[2] = Math.max(y, this.data.least);
    else [item[0], item[1]] = [x, y];
  }

  up(event) {
    const held = this.held;
    this.held = null;
    if (!held) return;
    if (held.items) this.change((next) => (next.items = held.items));
    else if (held.place >= 0) this.pick(held.place);
    else if (!held.moved && this.kind !== "bars") this.add(this.at(event));
    else if (!held.moved) {
      this.chosen = -1;
      this.draw();
    }
  }

  leave() {
    this.held = null;
  }

  key(event) {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
      event.preventDefault();
      this.undo();
      return;
    }
    const place = Number(event.target.closest?.(".item")?.dataset.place ?? -1);
    if (place < 0) return;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (step && this.kind === "bars" && step[1]) this.weigh(place, step[1]);
    else if (step && this.kind === "bars") this.focus(place + step[0]);
    else if (step)
      this.change((next) => {
        next.items[place][0] += step[0];
        next.items[place][1] += step[1];
      });
    else if (event.key === "+" || event.key === "=") this.weigh(place, 1);
    else if (event.key === "-") this.weigh(place, -1);
    else if (event.key === "Delete" || event.key === "Backspace") this.remove(place);
    else if (event.key === "Enter" || event.key === " ") this.pick(place);
    else return;
    event.preventDefault();
    if (step) this.focus(this.kind === "bars" && step[0] ? place + step[0] : place);
  }

  // The visible part of the plane: the drawing and some margin. It does not change during a drag.
  look() {
    if (this.view) return this.view;
    const shapes = this.data.boxes.flatMap((box) => [[box[0], box[1]], [box[2], box[3]]]);
    const all = [...this.drawing.items.map((item) => [item[0], item[1]]), ...shapes];
    const span = (axis) => {
      const values = all.map((one) => one[axis]);
      const [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [0, 0];
      const more = Math.max(SPAN - (high - low), 2) / 2;
      return [Math.floor(low - more), Math.ceil(high + more)];
    };
    const [[left, right], [low, high]] = [span(0), span(1)];
    this.view = { x: left, y: low, width: right - left, height: high - low };
    return this.view;
  }

  scale() {
    const [wide, high] = [this.svg.clientWidth || 600, this.data.height];
    const look = this.look();
    const unit = Math.min((wide - 2 * EDGE) / look.width, (high - 2 * EDGE) / look.height);
    const [left, top] = [(wide - unit * look.width) / 2, (high - unit * look.height) / 2];
    return {
      wide, high, unit,
      x: (x) => left + (x - look.x) * unit,
      y: (y) => high - top - (y - look.y) * unit,
      back: (px, py) => [Math.round((px - left) / unit + look.x), Math.round((high - top - py) / unit + look.y)],
    };
  }

  bars() {
    const [wide, high] = [this.svg.clientWidth || 600, this.data.height];
    const { items } = this.shown();
    this.top ??= Math.max(this.data.k * 1.3, 1.15 * Math.max(...items.map((item) => item[2]), 1));
    const slot = Math.min((wide - 2 * EDGE) / Math.max(items.length, 1), 90);
    const unit = (high - 2 * EDGE) / this.top;
    return {
      wide, high, slot, unit,
      left: (place) => EDGE + 14 + place * slot,
      y: (count) => high - EDGE - count * unit,
      back: (py) => Math.round((high - EDGE - py) / unit),
    };
  }

  at(event) {
    const box = this.svg.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    return this.kind === "bars" ? [0, this.bars().back(py)] : this.scale().back(px, py);
  }

  shown() {
    return { items: this.held?.items ?? this.drawing.items, edges: this.drawing.edges };
  }

  draw() {
    const focused = this.svg.contains(document_of(this.svg).activeElement)
      ? document_of(this.svg).activeElement.dataset.place : undefined;
    const { kind, height, past, most, unit } = this.data;
    const { items } = this.shown();
    this.svg.setAttribute("height", height);
    this.svg.setAttribute("aria-label", this.data.label);
    const chosen = items[this.chosen];
    this.own.hidden = !chosen;
    this.words.textContent = chosen
      ? `${this.name(this.chosen)}: ${chosen[2].toLocaleString("en-US")} ${unit}${kind === "graph" ? ". Click another area to join or separate them." : ""}`
      : KINDS[kind];
    this.frame.querySelector('[data-do="undo"]').disabled = !past;
    this.frame.querySelector('[data-do="add"]').disabled = items.length >= most;
    if (!this.held && kind === "bars") this.top = null;
    this.svg.replaceChildren(...(kind === "bars" ? this.drawBars() : this.drawPlane()));
    if (focused !== undefined) this.focus(focused);
  }

  name(place) {
    return `${this.data.noun} ${place + 1}`;
  }

  color(place) {
    return this.data.palette[this.groups?.[place]] ?? "#e8eaed";
  }

  // A pickable thing, described in words.
  item(place, parts) {
    const weight = this.shown().items[place][2].toLocaleString("en-US");
    const group = this.groups?.[place];
    const words = `${this.name(place)}, ${weight} ${this.data.unit}${group >= 0 ? `, group ${group + 1}` : ""}`;
    const one = made("g", { class: `item${place === this.chosen ? " chosen" : ""}`, tabindex: 0, role: "button" });
    one.dataset.place = place;
    one.setAttribute("aria-label", words);
    one.setAttribute("aria-pressed", String(place === this.chosen));
    const title = made("title", {});
    title.textContent = words;
    one.append(title, ...parts);
    return one;
  }

  drawPlane() {
    const s = this.scale();
    const { items, edges } = this.shown();
    const look = this.look();
    const dots = [];
    const dense = look.width * look.height > 1500;
    for (let x = look.x; !dense && x <= look.x + look.width; x += 1)
      for (let y = look.y; y <= look.y + look.height; y += 1)
        dots.push(made("circle", { class: "grid", cx: s.x(x), cy: s.y(y), r: 1.4 }));
    const current = !this.held && this.groups?.length === items.length;
    const boxes = (current ? this.data.boxes : []).map(([x0, y0, x1, y1, group]) =>
      made("rect", {
        class: "area", x: s.x(x0), y: s.y(y1), width: s.x(x1) - s.x(x0), height: s.y(y0) - s.y(y1),
        fill: this.data.palette[group],
      }));
    const circles = (current ? this.data.circles : []).map(([x, y, radius, group]) =>
      made("circle", { class: "area", cx: s.x(x), cy: s.y(y), r: radius * s.unit + 3, fill: this.data.palette[group] }));
    const lines = edges.map(([a, b]) => {
      const inside = this.groups?.[a] >= 0 && this.groups[a] === this.groups[b];
      const [[x1, y1], [x2, y2]] = [items[a], items[b]];
      return made("line", { class: `edge${inside ? " inside" : ""}`, x1: s.x(x1), y1: s.y(y1), x2: s.x(x2), y2: s.y(y2) });
    });
    const radius = Math.max(Math.min(RADIUS, s.unit * 0.46), 6);
    const under = new Map(); // how many items are already at a place: the next one is drawn slightly offset
    const points = items.map(([x, y, weight], place) => {
      const below = under.get(`${x} ${y}`) ?? 0;
      under.set(`${x} ${y}`, below + 1);
      const [cx, cy] = [s.x(x) + 5 * below, s.y(y) - 9 * below];
      const body = made("circle", { class: "body", cx, cy, r: radius, fill: this.color(place) });
      const text = made("text", radius < 10 ? { class: "beside", x: cx + radius + 9, y: cy } : { x: cx, y: cy });
      text.textContent = radius < 10 && items.length > 40 ? "" : weight;
      return this.item(place, [body, text]);
    });
    return [...dots, ...boxes, ...circles, ...lines, ...points];
  }

  drawBars() {
    const s = this.bars();
    const { items } = this.shown();
    const bars = items.map((item, place) => {
      const [count, x, wide] = [item[2], s.left(place), Math.max(s.slot - 6, 3)];
      const body = made("rect", {
        class: "body", x, y: s.y(count), width: wide, height: Math.max(count * s.unit, 1), fill: this.color(place),
      });
      const grip = made("rect", { x, y: s.y(count) - 10, width: wide, height: 20, fill: "transparent", cursor: "ns-resize" });
      const text = made("text", { class: "beside", x: x + wide / 2, y: s.y(count) - 11 });
      text.textContent = wide > 14 ? count : "";
      return this.item(place, [body, grip, text]);
    });
    const level = made("line", { class: "level", x1: EDGE, x2: s.wide - EDGE, y1: s.y(this.data.k), y2: s.y(this.data.k) });
    const note = made("text", { class: "note", x: s.wide - EDGE - 4, y: s.y(this.data.k) - 7, "text-anchor": "end" });
    note.textContent = `k = ${this.data.k.toLocaleString("en-US")}`;
    return [...bars, level, note];
  }
}

function made(name, attributes) {
  const one = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  return one;
}

// The root that knows the focus: the page, or the shadow root of a component.
function document_of(element) {
  return element.getRootNode();
}

export default function (drawn) {
  return place(Board, drawn);
}
