// Paints a view of the areas in their groups onto a canvas: the backdrop, then lines, marks and labels.
const INK = PALETTE.LINE;
const STRIPED = 0.7; // opacity of a stripe over a marked area
const RINGED = 60; // up to this many marked areas, small ones also get a ring
const SMALL = 14; // pixels below which an area is hard to see
const THIN = 0.35; // opacity of a line between two areas of a group
const FADED = 64; // of 255: how opaque the other groups are when one is chosen
const LEFT_OUT = "#dfe1e4";
const MARK = PALETTE.VERMILION;

const LINES = {
  tree: { color: PALETTE.GRAY, width: 1.5, dash: [], words: "tree" },
  cut: { color: MARK, width: 3, dash: [8, 5], words: "cut" },
  join: { color: PALETTE.BLUE, width: 2, dash: [6, 4], words: "link between areas that share no border" },
};

function channels(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

// In the picture's byte order: alpha, blue, green, red.
function packed([red, green, blue], alpha = 255) {
  return ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

// The look of each area's pixels; kinds distinguish groups. Index 0 is for pixels outside all areas.
function lookOf({ groups, colors, palette, chosen, ink, changed }, count) {
  const line = channels(ink);
  const shades = [...palette, LEFT_OUT].map(channels);
  const inked = (share) => shades.map((shade) => shade.map((part, i) => Math.round(part + (line[i] - part) * share)));
  const [thinned, striped] = [inked(THIN), inked(STRIPED)];
  const look = {
    kinds: new Uint32Array(count + 1).fill(NO_GROUP),
    shades: new Uint32Array(count + 1),
    thins: new Uint32Array(count + 1),
    ink: packed(line),
    hatched: false,
    stripes: changed?.some((bits) => bits) ? new Uint32Array(count + 1) : null, // 0 where there are none
    striped: [], // the areas that have them
  };
  look.kinds[0] = OUTSIDE;
  for (let area = 0; area < count; area++) {
    const group = groups[area] - 1;
    const color = group < 0 ? palette.length : colors[group];
    const alpha = chosen !== null && group !== chosen ? FADED : 255;
    if (group >= 0) look.kinds[area + 1] = group;
    else look.hatched = true;
    look.shades[area + 1] = packed(shades[color], alpha);
    look.thins[area + 1] = packed(thinned[color], alpha);
    if (look.stripes && (changed[area >> 3] >> (area & 7)) & 1) {
      look.stripes[area + 1] = packed(striped[color], alpha);
      look.striped.push(area);
    }
  }
  return look;
}

class Painter {
  constructor(shapes) {
    this.shapes = shapes;
    this.release();
    this.canvas = blank(0, 0);
    this.pen = this.canvas.getContext("2d", { willReadFrequently: true });
  }

  // From now on in a worker, once there is one.
  async beside() {
    if (!globalThis.Worker || !globalThis.OffscreenCanvas || this.starting) return;
    const starting = (this.starting = persistently(() => startWorker(this.shapes)));
    const worker = await starting.catch(() => null);
    if (!worker) return;
    if (this.starting !== starting) worker.terminate(); // dropped meanwhile
    else this.backdrop = new BackdropBeside(worker);
  }

  // Continue without a worker that ended.
  async backdropOf(asked) {
    try {
      this.backdrop ??= new Backdrop(this.shapes);
      return await this.backdrop.paint(asked);
    } catch (error) {
      if (this.backdrop instanceof Backdrop) throw error;
      this.backdrop = new Backdrop(this.shapes);
      return this.backdrop.paint(asked);
    }
  }

  // view, room and calm are those of the backdrop. Returns the view as it was painted.
  async paint(view, room, scene, calm = false) {
    const { look, labels, places, shut = [], large = 1 } = scene;
    const { width, height, margin, ratio } = room;
    const moving = !calm && this.labeled?.look === look && this.labeled.scale === view.scale;
    const window = [margin, margin, margin + width, margin + height];
    const spots = moving ? null : { window, shut, tall: LABEL_HEIGHT * large };
    const made = await this.backdropOf({ view, room, look, groups: labels.length, calm, spots });
    const { canvas, pen } = this;
    const { picture, painted, rough, found } = made;
    if (canvas.width !== picture.width || canvas.height !== picture.height)
      [canvas.width, canvas.height] = [picture.width, picture.height];
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.globalCompositeOperation = "copy";
    pen.drawImage(picture, 0, 0);
    pen.globalCompositeOperation = "source-over";
    picture.close?.();
    pen.scale(ratio, ratio);
    this.rough = rough;
    this.frame = { painted, width: width + 2 * margin, height: height + 2 * margin };
    for (const [kind, pairs] of Object.entries(scene.lines)) this.drawLines(LINES[kind], pairs);
    if (look.striped.length <= RINGED) for (const area of look.striped) this.drawRing(area);
    for (const area of scene.picked) this.drawMark(area);
    if (scene.mark !== null && !scene.picked.includes(scene.mark)) this.drawMark(scene.mark);
    if (found) this.placeLabels(found, scene, { window, shut, tall: spots.tall });
    this.drawLabels(scene);
    return painted;
  }

  at(x, y) {
    const { painted, width, height } = this.frame;
    return [(x - painted.x) * painted.scale + width / 2, (painted.y - y) * painted.scale + height / 2];
  }

  drawLines({ color, width, dash }, pairs) {
    const { pen } = this;
    const { points } = this.shapes;
    pen.beginPath();
    for (let i = 0; i < pairs.length; i += 2) {
      const [one, other] = [pairs[i], pairs[i + 1]];
      pen.moveTo(...this.at(points[2 * one], points[2 * one + 1]));
      pen.lineTo(...this.at(points[2 * other], points[2 * other + 1]));
    }
    Object.assign(pen, { strokeStyle: color, lineWidth: width });
    pen.setLineDash(dash);
    pen.stroke();
    pen.setLineDash([]);
  }

  // Around the area that was chosen; one that is small on the screen gets a ring.
  drawMark(area) {
    const { pen } = this;
    const { xy, rings, parts, areas, boxes } = this.shapes;
    const [west, south, east, north] = boxes.subarray(4 * area, 4 * area + 4);
    const size = Math.max(east - west, north - south) * this.frame.painted.scale;
    pen.beginPath();
    for (let ring = parts[areas[area]]; ring < parts[areas[area + 1]]; ring++) {
      for (let i = rings[ring]; i < rings[ring + 1]; i++)
        pen[i === rings[ring] ? "moveTo" : "lineTo"](...this.at(xy[2 * i], xy[2 * i + 1]));
    }
    if (size < SMALL) {
      const [x, y] = this.at((west + east) / 2, (south + north) / 2);
      pen.moveTo(x + 12, y);
      pen.arc(x, y, 12, 0, 2 * Math.PI);
    }
    pen.lineJoin = "round";
    for (const [color, width] of [["#ffffff", 5], [MARK, 2.5]]) {
      Object.assign(pen, { strokeStyle: color, lineWidth: width });
      pen.stroke();
    }
  }

  // Around an area whose stripes are hard to see.
  drawRing(area) {
    const { pen } = this;
    const [west, south, east, north] = this.shapes.boxes.subarray(4 * area, 4 * area + 4);
    if (!(Math.max(east - west, north - south) * this.frame.painted.scale < SMALL)) return;
    pen.beginPath();
    pen.arc(...this.at((west + east) / 2, (south + north) / 2), 9, 0, 2 * Math.PI);
    for (const [color, width] of [["#ffffff", 4], [INK, 2]]) {
      Object.assign(pen, { strokeStyle: color, lineWidth: width });
      pen.stroke();
    }
  }

  // Label positions: finding them scans all pixels, so they stay in place while the map is moved.
  placeLabels(found, { look, labels, places, font, large = 1 }, room) {
    const { pen } = this;
    const { painted, width, height } = this.frame;
    pen.font = `600 ${13 * large}px ${font}`;
    this.placed = placeLabels(found, labels, room, pen);
    pen.font = `${13 * large}px ${font}`;
    this.named = places ? placeNames(this.shapes, pen, (x, y) => this.at(x, y), this.placed, room) : [];
    for (const label of [...this.placed, ...this.named]) {
      label.east = painted.x + (label.x - width / 2) / painted.scale;
      label.north = painted.y - (label.y - height / 2) / painted.scale;
    }
    this.labeled = { look, scale: painted.scale };
  }

  drawLabels({ font, large = 1 }) {
    const { pen } = this;
    Object.assign(pen, { font: `600 ${13 * large}px ${font}`, textAlign: "center", textBaseline: "middle" });
    Object.assign(pen, { strokeStyle: "#ffffffdd", lineWidth: 3 * large, lineJoin: "round", fillStyle: "#17212b" });
    const write = ({ text, east, north }) => {
      const [x, y] = this.at(east, north);
      pen.strokeText(text, x, y);
      pen.fillText(text, x, y);
    };
    this.placed.forEach(write);
    Object.assign(pen, { font: `${13 * large}px ${font}`, fillStyle: "#46505a" });
    this.named.forEach(write);
  }

  // Frees the pixels and the worker; it can paint again.
  release() {
    if (this.backdrop instanceof BackdropBeside) this.backdrop.end();
    this.backdrop = this.starting = this.labeled = null;
    if (this.canvas) this.canvas.width = this.canvas.height = 0;
  }
}

// Label positions: group labels near the middle of a group's visible part, place names where those leave
// room. Labels never overlap each other or the boxes in `shut`: left, top, right, bottom.
const MOST_LABELS = 400;
const LABEL_HEIGHT = 16; // pixels of the page
const SAMPLED = 4; // sampling step in pixels of the page
const AROUND = [[-1.6, 0], [1.6, 0], [0, -1], [0, 1], [-1.6, -1], [1.6, -1], [-1.6, 1], [1.6, 1]]; // half a label
const LARGEST = 24; // places on the screen
const APART = 4; // pixels around the name of a place
const BESIDE = [[0, 0], [0, -1.1], [0, 1.1], [1, 0], [-1, 0], [1, -1.1], [1, 1.1], [-1, -1.1], [-1, 1.1]]; // half a name across, a line down

// For each group visible within `window`: its size in pixels of the page, and a spot.
function groupSpots({ owners, columns }, kinds, groups, { window, shut, tall }, fine) {
  const step = Math.round(SAMPLED * fine);
  const room = Math.round((tall / 2) * fine);
  const [left, top, right, bottom] = window.map((edge) => Math.round(edge * fine));
  const closed = shut.map((box) => box.map((edge, i) => edge * fine + (i < 2 ? -room : room)));
  const free = (column, row) =>
    closed.every((box) => column < box[0] || row < box[1] || column > box[2] || row > box[3]);
  const sums = new Float64Array(3 * groups);
  const each = (visit) => {
    for (let row = top; row < bottom; row += step) {
      for (let column = left; column < right; column += step) {
        const group = kinds[owners[row * columns + column]];
        if (group < groups) visit(group, column, row);
      }
    }
  };
  each((group, column, row) => {
    sums[3 * group] += 1;
    sums[3 * group + 1] += column;
    sums[3 * group + 2] += row;
  });
  const best = new Float64Array(groups).fill(Infinity);
  const spots = new Float64Array(2 * groups).fill(NaN);
  const alike = (group, column, row) =>
    column >= left && column < right && row >= top && row < bottom && kinds[owners[row * columns + column]] === group;
  each((group, column, row) => {
    const size = sums[3 * group];
    let far = Math.hypot(column - sums[3 * group + 1] / size, row - sums[3 * group + 2] / size);
    if (far >= best[group] || !free(column, row)) return;
    for (const [across, down] of AROUND) {
      const [x, y] = [column + Math.round(across * room), row + down * room];
      if (!alike(group, x, y) || !free(x, y)) far += 2 * room;
    }
    if (far >= best[group]) return;
    best[group] = far;
    spots[2 * group] = column / fine;
    spots[2 * group + 1] = row / fine;
  });
  const sizes = Array.from({ length: groups }, (_, group) => sums[3 * group] * SAMPLED ** 2);
  return { sizes, spots };
}

function covers([left, top, right, bottom], { x, y, half }, tall) {
  return x + half > left && x - half < right && y + tall / 2 > top && y - tall / 2 < bottom;
}

function within([left, top, right, bottom], { x, y, half }, tall) {
  return x - half >= left && x + half <= right && y - tall / 2 >= top && y + tall / 2 <= bottom;
}

function tooNear(one, label, tall) {
  return Math.abs(one.x - label.x) <= one.half + label.half + one.room && Math.abs(one.y - label.y) <= tall + one.room;
}

// The group labels that fit, each with its middle in pixels of the page and half its width.
function placeLabels({ sizes, spots }, texts, { window, shut, tall }, pen) {
  const seen = [];
  for (let group = 0; group < texts.length; group++)
    if (sizes[group] > tall ** 2 && texts[group] && spots[2 * group] >= 0) seen.push(group);
  seen.sort((one, other) => sizes[other] - sizes[one]);
  const placed = [];
  for (const group of seen) {
    const half = pen.measureText(texts[group]).width / 2 + 2;
    if (sizes[group] < 2 * half * tall) continue;
    const label = { text: texts[group], x: spots[2 * group], y: spots[2 * group + 1], half, room: 0 };
    if (!within(window, label, tall) || shut.some((box) => covers(box, label, tall))) continue;
    if (placed.some((one) => tooNear(one, label, tall))) continue;
    placed.push(label);
    if (placed.length === MOST_LABELS) break;
  }
  return placed;
}

// The names of the largest visible places that fit next to `labels`, near their location.
function placeNames({ places, places_names: names }, pen, at, labels, { window, shut, tall }) {
  const [left, top, right, bottom] = window;
  const taken = [...labels];
  const found = [];
  let seen = 0;
  for (let i = 0; i < names.length && seen < LARGEST; i++) {
    const [x, y] = at(places[2 * i], places[2 * i + 1]);
    if (x < left || x > right || y < top || y > bottom) continue;
    seen += 1;
    const half = pen.measureText(names[i]).width / 2 + 2;
    for (const [across, down] of BESIDE) {
      const label = { text: names[i], x: x + across * (half + tall), y: y + down * tall, half, room: APART };
      if (!within(window, label, tall) || shut.some((box) => covers(box, label, tall))) continue;
      if (taken.some((one) => tooNear(one, label, tall))) continue;
      taken.push(label);
      found.push(label);
      break;
    }
  }
  return found;
}
