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

  // The area at a point of the map, or -1: of two that overlap, the one that is drawn last.
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
