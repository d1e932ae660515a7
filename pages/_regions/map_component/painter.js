// Paints a view of the areas in their groups onto a canvas: colours and borders by pixel, then lines and labels.
const INK = "#33373d";
const THIN = 0.35; // how much of the ink a line between two areas of a group has
const FADED = 64; // of 255: how opaque the groups are beside a chosen one
const LEFT_OUT = "#dfe1e4";
const MARK = "#d55e00";
const AT_ONCE = 2.5e6; // pixels up to which edges are smooth at once; beyond, when the map is at rest
const BUTTONS_WIDTH = 44; // pixels at the right
const AT_ALL = 1.2e7; // pixels beyond which they are not

const LINES = {
  tree: { colour: "#5b6066", width: 1.5, dash: [], words: "tree" },
  cut: { colour: "#d55e00", width: 3, dash: [8, 5], words: "cut" },
  join: { colour: "#0072b2", width: 2, dash: [6, 4], words: "joined, no common border" },
};

function channels(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

// As the picture wants it: alpha, blue, green, red.
function packed([red, green, blue], alpha = 255) {
  return ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

// What the pixels of each area look like; kinds tell groups apart. Place 0 is for pixels outside of all areas.
function lookOf({ groups, colours, palette, chosen, ink }, count) {
  const line = channels(ink);
  const shades = [...palette, LEFT_OUT].map(channels);
  const thinned = shades.map((shade) => shade.map((part, i) => Math.round(part + (line[i] - part) * THIN)));
  const look = {
    kinds: new Uint32Array(count + 1).fill(NO_GROUP),
    shades: new Uint32Array(count + 1),
    thins: new Uint32Array(count + 1),
    ink: packed(line),
    hatched: false,
  };
  look.kinds[0] = OUTSIDE;
  for (let area = 0; area < count; area++) {
    const group = groups[area] - 1;
    const colour = group < 0 ? palette.length : colours[group];
    const alpha = chosen !== null && group !== chosen ? FADED : 255;
    if (group >= 0) look.kinds[area + 1] = group;
    else look.hatched = true;
    look.shades[area + 1] = packed(shades[colour], alpha);
    look.thins[area + 1] = packed(thinned[colour], alpha);
  }
  return look;
}

class Painter {
  constructor(shapes) {
    this.shapes = shapes;
    this.ground = new Ground(shapes);
    this.release();
    this.canvas = document.createElement("canvas");
    this.pen = this.canvas.getContext("2d", { willReadFrequently: true });
  }

  // view: middle, and pixels of the page a unit; size: width and height of the picture and its margin, in pixels of the
  // page, and how many of the screen each has; calm: at rest, there is time for smooth edges. Returns the view as it was
  // painted.
  paint(view, { width, height, margin, ratio }, scene, calm = false) {
    const [columns, rows] = [width + 2 * margin, height + 2 * margin].map((length) => Math.round(length * ratio));
    const pixels = ratio < 1.5 ? 4 * columns * rows : Infinity;
    const smooth = pixels <= (calm ? AT_ALL : AT_ONCE) ? 2 : 1;
    this.rough = smooth === 1 && pixels <= AT_ALL; // it can still be painted better
    const fine = smooth * ratio;
    const { canvas, pen } = this;
    const raster = (this.raster = this.rasters[smooth - 1]);
    const seen = raster.look({ ...view, scale: view.scale * fine }, columns * smooth, rows * smooth);
    if (canvas.width !== columns || canvas.height !== rows) {
      [canvas.width, canvas.height] = [columns, rows];
      this.image = new ImageData(columns, rows);
    }
    const image = new Uint32Array(this.image.data.buffer);
    const look = { ...scene.look, ...this.strokes(view.scale, scene.labels.length, fine) };
    if (smooth === 2) {
      if (this.large?.length !== 4 * columns * rows) this.large = new Uint32Array(4 * columns * rows);
      raster.tint(look, this.large);
      halve(this.large, 2 * columns, image, columns, rows);
    } else raster.tint(look, image);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.putImageData(this.image, 0, 0);
    pen.scale(ratio, ratio);
    const painted = { x: seen.x, y: seen.y, scale: view.scale };
    this.frame = { painted, width: width + 2 * margin, height: height + 2 * margin };
    this.ground.draw(pen, this.frame, ratio);
    for (const [kind, pairs] of Object.entries(scene.lines)) this.drawLines(LINES[kind], pairs);
    for (const area of scene.picked) this.drawMark(area);
    if (scene.mark !== null && !scene.picked.includes(scene.mark)) this.drawMark(scene.mark);
    const window = [margin, margin, margin + width, margin + height];
    const moving = !calm && this.labelled?.look === scene.look && this.labelled.scale === view.scale;
    if (!moving) this.placeLabels(look.kinds, scene, window, fine);
    this.drawLabels(scene);
    return painted;
  }

  // How wide borders are in the raster's pixels: thinner where groups and areas are small.
  strokes(scale, groups, fine) {
    const [west, south, east, north] = this.shapes.box;
    const across = (count) => scale * Math.sqrt(((east - west) * (north - south)) / Math.max(count, 1));
    const wide = across(groups) > 50 ? 2 : across(groups) > 16 ? 1.25 : 0.5;
    const thin = across(this.shapes.count) > 9 ? 0.5 : 0;
    return { reach: Math.max(1, Math.round(wide * fine)), thin: thin && Math.max(1, Math.round(thin * fine)) };
  }

  at(x, y) {
    const { painted, width, height } = this.frame;
    return [(x - painted.x) * painted.scale + width / 2, (painted.y - y) * painted.scale + height / 2];
  }

  drawLines({ colour, width, dash }, pairs) {
    const { pen } = this;
    const { points } = this.shapes;
    pen.beginPath();
    for (let i = 0; i < pairs.length; i += 2) {
      const [one, other] = [pairs[i], pairs[i + 1]];
      pen.moveTo(...this.at(points[2 * one], points[2 * one + 1]));
      pen.lineTo(...this.at(points[2 * other], points[2 * other + 1]));
    }
    Object.assign(pen, { strokeStyle: colour, lineWidth: width });
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
    if (size < 14) {
      const [x, y] = this.at((west + east) / 2, (south + north) / 2);
      pen.moveTo(x + 12, y);
      pen.arc(x, y, 12, 0, 2 * Math.PI);
    }
    pen.lineJoin = "round";
    for (const [colour, width] of [["#ffffff", 5], [MARK, 2.5]]) {
      Object.assign(pen, { strokeStyle: colour, lineWidth: width });
      pen.stroke();
    }
  }

  // Where labels stand: it takes a look at all pixels, so that while the map is moved they stay where they are.
  placeLabels(kinds, { look, labels, places, font }, window, fine) {
    const { pen } = this;
    const { painted, width, height } = this.frame;
    pen.font = `600 13px ${font}`;
    this.placed = placeLabels(this.raster, kinds, labels, window, fine, pen);
    pen.font = `13px ${font}`;
    const clear = [window[0], window[1], window[2] - BUTTONS_WIDTH, window[3]];
    this.named = places ? this.ground.placeNames(pen, (x, y) => this.at(x, y), this.placed, clear) : [];
    for (const label of [...this.placed, ...this.named]) {
      label.east = painted.x + (label.x - width / 2) / painted.scale;
      label.north = painted.y - (label.y - height / 2) / painted.scale;
    }
    this.labelled = { look, scale: painted.scale };
  }

  drawLabels({ font }) {
    const { pen } = this;
    Object.assign(pen, { font: `600 13px ${font}`, textAlign: "center", textBaseline: "middle", lineJoin: "round" });
    Object.assign(pen, { strokeStyle: "#ffffffdd", lineWidth: 3, fillStyle: "#17212b" });
    const write = ({ text, east, north }) => {
      const [x, y] = this.at(east, north);
      pen.strokeText(text, x, y);
      pen.fillText(text, x, y);
    };
    this.placed.forEach(write);
    Object.assign(pen, { font: `13px ${font}`, fillStyle: "#46505a" });
    this.named.forEach(write);
  }

  // Lets the pixels go; it can paint again.
  release() {
    this.ground.release();
    this.rasters = [new Raster(this.shapes), new Raster(this.shapes)]; // of the canvas's pixels, and twice as fine
    this.image = this.large = null;
    if (this.canvas) this.canvas.width = this.canvas.height = 0;
  }
}
