// The pixels of a map: the shapes of its areas, which area owns each pixel, the ground around them, and who paints.

// The shapes and names of the areas of an instance: one file, fetched once, by its digest. Areas are numbered from 0.
const SHAPES = (globalThis.__kanonShapes ??= new Map());
const SHAPES_KEPT = 4;
const TYPES = Object.fromEntries(
  ["xy", "points", "places", "water", "borders", "counties"].map((name) => [name, Float32Array]),
);

async function fetchShapes(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error("The shapes of this map are no longer on the server. Reload the page.");
  return new Shapes(await response.arrayBuffer());
}

function loadShapes(digest, url) {
  return fetchOnce(SHAPES, SHAPES_KEPT, digest, () => fetchShapes(url));
}

class Shapes {
  constructor(buffer) {
    this.buffer = buffer;
    const length = new DataView(buffer).getUint32(0, true);
    const { arrays, ...rest } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    Object.assign(this, rest);
    let at = 4 + length;
    for (const [name, count] of Object.entries(arrays)) {
      this[name] = new (TYPES[name] ?? Uint32Array)(buffer, at, count);
      at += 4 * count;
    }
    this.count = this.ids.length;
    this.measure();
  }

  // West, south, east and north of each area, and of all.
  measure() {
    const { xy, rings, parts, areas, count } = this;
    this.boxes = new Float32Array(4 * count);
    const all = [Infinity, Infinity, -Infinity, -Infinity];
    for (let area = 0; area < count; area++) {
      let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
      for (let i = rings[parts[areas[area]]]; i < rings[parts[areas[area + 1]]]; i++) {
        west = Math.min(west, xy[2 * i]);
        east = Math.max(east, xy[2 * i]);
        south = Math.min(south, xy[2 * i + 1]);
        north = Math.max(north, xy[2 * i + 1]);
      }
      this.boxes.set([west, south, east, north], 4 * area);
      all[0] = Math.min(all[0], west);
      all[1] = Math.min(all[1], south);
      all[2] = Math.max(all[2], east);
      all[3] = Math.max(all[3], north);
    }
    this.box = all[0] <= all[2] ? all : [-1, -1, 1, 1];
  }

  // The area at a point of the map, or -1: of two that overlap, the one drawn last.
  areaAt(x, y) {
    const { boxes, xy, rings, parts, areas } = this;
    for (let area = this.count - 1; area >= 0; area--) {
      const box = 4 * area;
      if (!(x >= boxes[box] && x <= boxes[box + 2] && y >= boxes[box + 1] && y <= boxes[box + 3])) continue;
      let inside = false;
      for (let ring = parts[areas[area]]; ring < parts[areas[area + 1]]; ring++) {
        for (let i = rings[ring]; i < rings[ring + 1] - 1; i++) {
          const [x1, y1, x2, y2] = [xy[2 * i], xy[2 * i + 1], xy[2 * i + 2], xy[2 * i + 3]];
          if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
        }
      }
      if (inside) return area;
    }
    return -1;
  }

  hasShape(area) {
    return this.areas[area] < this.areas[area + 1];
  }

  title(area) {
    const [id, name] = [this.ids[area], this.names?.[area]];
    if (!name) return id;
    return name.includes(id) ? name : `${id} ${name}`;
  }
}

// Which area owns each pixel, computed once per view; colors and borders are then derived from the pixels.
const OUTSIDE = 0xffffffff; // the kind of a pixel that no area owns
const NO_GROUP = 0xfffffffe; // the kind of an area that was left out
const HATCH = 8;

class Raster {
  constructor(shapes) {
    this.shapes = shapes;
    this.cuts = new Float32Array(4096);
  }

  // Brings the owners up to date with a view, whose scale is in pixels a unit. After a move by less than the picture
  // only the strips that came into view are computed. Returns the view, moved onto the grid of the pixels.
  look({ x, y, scale }, columns, rows) {
    const same = this.view && this.columns === columns && this.rows === rows && this.view.scale === scale;
    const right = same ? Math.round((x - this.view.x) * scale) : columns;
    const down = same ? Math.round((this.view.y - y) * scale) : rows;
    if (Math.abs(right) >= columns || Math.abs(down) >= rows) {
      if (!same) [this.owners, this.columns, this.rows] = [new Uint32Array(columns * rows), columns, rows];
      this.view = { x, y, scale };
      this.cover(0, 0, columns, rows);
      return this.view;
    }
    this.view = { x: this.view.x + right / scale, y: this.view.y - down / scale, scale };
    const shift = down * columns + right;
    if (shift > 0) this.owners.copyWithin(0, shift);
    else if (shift < 0) this.owners.copyWithin(-shift, 0, columns * rows + shift);
    if (right > 0) this.cover(columns - right, 0, columns, rows);
    else if (right < 0) this.cover(0, 0, -right, rows);
    if (down > 0) this.cover(0, rows - down, columns, rows);
    else if (down < 0) this.cover(0, 0, columns, -down);
    return this.view;
  }

  // The owner of the middle of each pixel in a window, as the area's number + 1: by the even-odd rule, row by row. An
  // edge is always cut from its lower end, so that neighbors agree on every pixel.
  cover(left, top, right, bottom) {
    const { owners, columns, rows, view } = this;
    const { boxes, xy, rings, parts, areas, count } = this.shapes;
    const { scale } = view;
    const x0 = view.x * scale - columns / 2;
    const y0 = view.y * scale + rows / 2;
    for (let row = top; row < bottom; row++) owners.fill(0, row * columns + left, row * columns + right);
    const starts = new Int32Array(bottom - top + 2);
    for (let area = 0; area < count; area++) {
      const box = 4 * area;
      if (!(boxes[box + 2] * scale - x0 >= left && boxes[box] * scale - x0 <= right)) continue;
      const low = Math.max(top, Math.ceil(y0 - boxes[box + 3] * scale - 0.5));
      const high = Math.min(bottom, Math.floor(y0 - boxes[box + 1] * scale + 0.5) + 1);
      if (low >= high) continue;
      const begin = rings[parts[areas[area]]];
      const end = rings[parts[areas[area + 1]]] - 1;
      starts.fill(0, 0, high - low + 1);
      for (const counting of [true, false]) { // how many cuts a row has, then where they are
        let ring = parts[areas[area]];
        let last = rings[ring + 1] - 1;
        for (let i = begin; i < end; i++) {
          if (i === last) {
            ring += 1;
            last = rings[ring + 1] - 1;
            continue;
          }
          let x1 = xy[2 * i] * scale - x0;
          let y1 = y0 - xy[2 * i + 1] * scale;
          let x2 = xy[2 * i + 2] * scale - x0;
          let y2 = y0 - xy[2 * i + 3] * scale;
          if (y1 > y2 || (y1 === y2 && x1 > x2)) {
            const [x, y] = [x1, y1];
            x1 = x2;
            y1 = y2;
            x2 = x;
            y2 = y;
          }
          const stop = Math.min(Math.ceil(y2 - 0.5), high);
          let row = Math.max(Math.ceil(y1 - 0.5), low);
          if (row >= stop) continue;
          if (counting) {
            for (; row < stop; row++) starts[row - low + 1] += 1;
          } else {
            const slope = (x2 - x1) / (y2 - y1);
            for (; row < stop; row++) this.cuts[starts[row - low]++] = x1 + (row + 0.5 - y1) * slope;
          }
        }
        if (!counting) break;
        for (let row = 1; row <= high - low; row++) starts[row] += starts[row - 1];
        if (starts[high - low] > this.cuts.length) this.cuts = new Float32Array(2 * starts[high - low]);
      }
      this.fill(area + 1, low, high, starts, left, right);
    }
  }

  // After the cuts are filled in, starts[row] is where the cuts of a row end.
  fill(owner, low, high, starts, left, right) {
    const { owners, columns, cuts } = this;
    for (let row = low, from = 0; row < high; row++) {
      const to = starts[row - low];
      for (let i = from + 1; i < to; i++) { // a row has few cuts
        const cut = cuts[i];
        let j = i;
        for (; j > from && cuts[j - 1] > cut; j--) cuts[j] = cuts[j - 1];
        cuts[j] = cut;
      }
      for (let i = from; i + 1 < to; i += 2) {
        const begin = row * columns + Math.max(left, Math.ceil(cuts[i] - 0.5));
        const end = row * columns + Math.min(right, Math.ceil(cuts[i + 1] - 0.5));
        for (let at = begin; at < end; at++) owners[at] = owner;
      }
      from = to;
    }
  }

  // The color of each pixel into `out`: ink if the pixel `reach` to the right or below is of another
  // kind, a thin line if only the area differs.
  tint({ kinds, shades, thins, ink, reach, thin, hatched, stripes, stripe }, out) {
    const { owners, columns, rows } = this;
    for (let row = 0, i = 0; row < rows; row++) {
      const below = row + reach < rows ? reach * columns : 0;
      const next = row + thin < rows ? thin * columns : 0;
      for (let column = 0; column < columns; column++, i++) {
        const owner = owners[i];
        const beside = owners[column + reach < columns ? i + reach : i];
        const under = owners[i + below];
        if (owner === beside && owner === under) {
          out[i] = shades[owner];
          continue;
        }
        const kind = kinds[owner];
        if (kind !== kinds[beside] || kind !== kinds[under]) out[i] = ink;
        else if (thin && (owner !== owners[column + thin < columns ? i + thin : i] || owner !== owners[i + next]))
          out[i] = thins[owner];
        else out[i] = shades[owner];
      }
    }
    if (hatched) this.hatch(kinds, thins, ink, out);
    if (stripes) this.stripe(stripes, stripe, ink, out);
  }

  // Marked areas have falling stripes; those of areas left out are rising.
  stripe(stripes, [wide, apart], ink, out) {
    const { owners, columns, rows } = this;
    for (let row = 0, i = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++, i++) {
        const color = stripes[owners[i]];
        if (color && out[i] !== ink && (((column - row) % apart) + apart) % apart < wide) out[i] = color;
      }
    }
  }

  // Areas that were left out are hatched.
  hatch(kinds, thins, ink, out) {
    const { owners, columns, rows } = this;
    for (let row = 0, i = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++, i++) {
        if (kinds[owners[i]] === NO_GROUP && out[i] !== ink && (row + column) % HATCH < 2) out[i] = thins[owners[i]];
      }
    }
  }
}

// The mean of two times two pixels each, weighted by how opaque they are.
function halve(large, columns, small, width, height) {
  for (let row = 0, i = 0; row < height; row++) {
    for (let column = 0, at = 2 * row * columns; column < width; column++, i++, at += 2) {
      const [a, b, c, d] = [large[at], large[at + 1], large[at + columns], large[at + columns + 1]];
      if (a === b && a === c && a === d) {
        small[i] = a;
        continue;
      }
      const [wa, wb, wc, wd] = [a >>> 24, b >>> 24, c >>> 24, d >>> 24];
      const alpha = wa + wb + wc + wd;
      const mean = (by) =>
        (((a >>> by) & 255) * wa + ((b >>> by) & 255) * wb + ((c >>> by) & 255) * wc + ((d >>> by) & 255) * wd) / alpha;
      small[i] = alpha ? ((alpha >> 2) << 24) | (mean(16) << 16) | (mean(8) << 8) | mean(0) : 0;
    }
  }
}

// The backdrop of the areas: water and borders around them, counties over them.
const WATER = "rgba(86, 156, 205, 0.3)"; // over the page's own color, light or dark
const STROKES = {
  borders: { color: "#7d8891", width: 1.2, dash: [] },
  counties: { color: "rgba(70, 80, 90, 0.6)", width: 1, dash: [2, 3] },
};
// Lines or rings as one path in units of the map, with y to the south as on a canvas.
function pathOf(xy, starts) {
  const path = new Path2D();
  for (let line = 0; line + 1 < starts.length; line++) {
    path.moveTo(xy[2 * starts[line]], -xy[2 * starts[line] + 1]);
    for (let i = starts[line] + 1; i < starts[line + 1]; i++) path.lineTo(xy[2 * i], -xy[2 * i + 1]);
  }
  return path;
}

class Ground {
  constructor(shapes) {
    this.shapes = shapes;
    this.paths = {};
    for (const name of ["water", "borders", "counties"])
      if (shapes[name].length) this.paths[name] = pathOf(shapes[name], shapes[`${name}_starts`]);
  }

  // Around the areas, not over them: water, and borders unless they fit those of the areas. Over them: the rest. A new
  // result at the same place reuses both.
  draw(pen, { painted, width, height }, ratio) {
    const seen = [painted.x, painted.y, painted.scale, width, height, ratio].join();
    if (this.seen !== seen) {
      this.seen = seen;
      this.under = this.paint(["water", ...(this.shapes.over ? [] : ["borders"])], painted, width, height, ratio);
      this.above = this.paint(["counties", ...(this.shapes.over ? ["borders"] : [])], painted, width, height, ratio);
    }
    if (this.above) pen.drawImage(this.above, 0, 0, width, height);
    pen.globalCompositeOperation = "destination-over";
    if (this.under) pen.drawImage(this.under, 0, 0, width, height);
    pen.globalCompositeOperation = "source-over";
  }

  paint(names, { x, y, scale }, width, height, ratio) {
    const found = names.filter((name) => this.paths[name]);
    if (!found.length) return null;
    const canvas = blank(Math.round(width * ratio), Math.round(height * ratio));
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    pen.scale(ratio, ratio);
    for (const name of found) {
      const path = new Path2D();
      path.addPath(this.paths[name], new DOMMatrix([scale, 0, 0, scale, width / 2 - x * scale, height / 2 + y * scale]));
      if (name === "water") {
        pen.fillStyle = WATER;
        pen.fill(path, "evenodd");
        continue;
      }
      const { color, width: wide, dash } = STROKES[name];
      Object.assign(pen, { strokeStyle: color, lineWidth: wide, lineJoin: "round" });
      pen.setLineDash(dash);
      pen.stroke(path);
    }
    return canvas;
  }
}

// The pixels of a view: areas in their groups, on the ground that they lie on. They are computed in a worker if the browser
// lets one draw, so that the map can move meanwhile; otherwise on the page.
const AT_ONCE = 2.5e6; // up to this many pixels edges are smooth at once; beyond, when the map is at rest
const AT_ALL = 1.2e7; // beyond this many pixels they are never smooth
const STRIPE = [1.25, 8]; // pixels: how wide a stripe over a marked area is, and how far from the next one
const LINK = new URL(import.meta.url);

function blank(width, height) {
  if (!globalThis.document) return new OffscreenCanvas(width, height);
  return Object.assign(document.createElement("canvas"), { width, height });
}

class Backdrop {
  constructor(shapes) {
    this.shapes = shapes;
    this.ground = new Ground(shapes);
    this.rasters = [new Raster(shapes), new Raster(shapes)]; // of the canvas's pixels, and twice as fine
    this.canvas = blank(0, 0);
    this.pen = this.canvas.getContext("2d", { willReadFrequently: true });
  }

  // view: middle, and pixels of the page a unit; room: width and height of the picture and its margin, in pixels of the
  // page, and how many of the screen each has; calm: at rest, there is time for smooth edges; spots: where labels may
  // stand, if that is asked for. Answers with the view as it was painted.
  paint({ view, room: { width, height, margin, ratio }, look, groups, calm, spots }) {
    const [columns, rows] = [width + 2 * margin, height + 2 * margin].map((length) => Math.round(length * ratio));
    const pixels = ratio < 1.5 ? 4 * columns * rows : Infinity;
    const smooth = pixels <= (calm ? AT_ALL : AT_ONCE) ? 2 : 1;
    const rough = smooth === 1 && pixels <= AT_ALL; // a better painting is possible
    const fine = smooth * ratio;
    const { canvas, pen } = this;
    const raster = (this.raster = this.rasters[smooth - 1]);
    const { x, y } = raster.look({ ...view, scale: view.scale * fine }, columns * smooth, rows * smooth);
    if (canvas.width !== columns || canvas.height !== rows) [canvas.width, canvas.height] = [columns, rows];
    if (this.image?.width !== columns || this.image.height !== rows) this.image = new ImageData(columns, rows);
    const image = new Uint32Array(this.image.data.buffer);
    const painting = { ...look, ...this.strokes(view.scale, groups, fine) };
    if (smooth === 2) {
      if (this.large?.length !== 4 * columns * rows) this.large = new Uint32Array(4 * columns * rows);
      raster.tint(painting, this.large);
      halve(this.large, 2 * columns, image, columns, rows);
    } else raster.tint(painting, image);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.putImageData(this.image, 0, 0);
    pen.scale(ratio, ratio);
    const painted = { x, y, scale: view.scale };
    this.ground.draw(pen, { painted, width: width + 2 * margin, height: height + 2 * margin }, ratio);
    const found = spots && groupSpots(raster, look.kinds, groups, spots, fine);
    return { picture: canvas, painted, rough, found };
  }

  // How wide borders are in the raster's pixels: thinner where groups and areas are small.
  strokes(scale, groups, fine) {
    const [west, south, east, north] = this.shapes.box;
    const across = (count) => scale * Math.sqrt(((east - west) * (north - south)) / Math.max(count, 1));
    const wide = across(groups) > 50 ? 2 : across(groups) > 16 ? 1.25 : 0.5;
    const thin = across(this.shapes.count) > 9 ? 0.5 : 0;
    const [reach, between, ...stripe] = [wide, thin, ...STRIPE].map((length) => Math.max(1, Math.round(length * fine)));
    return { reach, thin: thin && between, stripe };
  }
}

// The page works without it, and no message is needed.
function failed(event, worker, reject) {
  event.preventDefault();
  worker.terminate();
  reject(new Error("Painting the map failed. Reload the page."));
}

// A worker that has the shapes. Rejected if there is none.
function startWorker(shapes) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(LINK, { type: "module" });
    worker.onmessage = () => resolve(worker);
    worker.onerror = (event) => failed(event, worker, reject);
    worker.postMessage({ shapes: shapes.buffer });
  });
}

// A backdrop in a worker, requested one picture at a time.
class BackdropBeside {
  constructor(worker) {
    this.worker = worker;
  }

  paint({ look, ...asked }) {
    const { worker } = this;
    const news = look === this.look ? null : look; // it keeps the last
    this.look = look;
    return new Promise((resolve, reject) => {
      this.refuse = reject;
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => failed(event, worker, reject);
      worker.postMessage({ ...asked, look: news });
    });
  }

  end() {
    this.worker.terminate();
    this.refuse?.(new Error("Painting the map was stopped.")); // otherwise its caller would wait forever
  }
}

// What a worker does with a message.
function work() {
  let backdrop, look;
  globalThis.onmessage = ({ data }) => {
    if (data.shapes) {
      backdrop = new Backdrop(new Shapes(data.shapes));
      globalThis.postMessage("ready");
      return;
    }
    look = data.look ?? look;
    const made = backdrop.paint({ ...data, look });
    const picture = made.picture.transferToImageBitmap();
    globalThis.postMessage({ ...made, picture }, [picture]);
  };
}

if (globalThis.WorkerGlobalScope && globalThis instanceof WorkerGlobalScope) work();
