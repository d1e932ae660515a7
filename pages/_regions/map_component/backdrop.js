// The pixels of a view: areas in their groups, on the ground that they lie on. They are worked out in a worker where the
// browser lets one draw, so that the map moves meanwhile; else on the page.
const AT_ONCE = 2.5e6; // pixels up to which edges are smooth at once; beyond, when the map is at rest
const AT_ALL = 1.2e7; // pixels beyond which they are not
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
    const rough = smooth === 1 && pixels <= AT_ALL; // it can still be painted better
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

// The page does without it, and nobody needs be told.
function failed(event, worker, reject) {
  event.preventDefault();
  worker.terminate();
  reject(new Error("The worker that paints the map ended."));
}

// A worker that has the shapes. Rejected where there is none.
function startWorker(shapes) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(LINK, { type: "module" });
    worker.onmessage = () => resolve(worker);
    worker.onerror = (event) => failed(event, worker, reject);
    worker.postMessage({ shapes: shapes.buffer });
  });
}

// A backdrop in a worker, asked for one picture at a time.
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
    this.refuse?.(new Error("The worker that paints the map was let go.")); // whoever waits for it would wait for ever
  }
}

// What a worker does with what it is told.
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
