// Which area owns each pixel, worked out once for a view; colours and borders are then read off the pixels.
const OUTSIDE = 0xffffffff; // the kind of a pixel that no area owns
const NO_GROUP = 0xfffffffe; // the kind of an area that was left out
const HATCH = 8;

class Raster {
  constructor(shapes) {
    this.shapes = shapes;
    this.cuts = new Float32Array(4096);
  }

  // Brings the owners up to date with a view, whose scale is in pixels a unit. After a move by less than the picture
  // only the strips that came into view are worked out. Returns the view, moved onto the grid of the pixels.
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
  // edge is always cut from its lower end, so that neighbours agree on every pixel.
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

  // The colour of each pixel into `out`: ink where the pixel that lies `reach` to the right or below is of another
  // kind, a thin line where only the area is another one.
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

  // Areas that are marked have stripes, which fall where those of areas left out rise.
  stripe(stripes, [wide, apart], ink, out) {
    const { owners, columns, rows } = this;
    for (let row = 0, i = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++, i++) {
        const colour = stripes[owners[i]];
        if (colour && out[i] !== ink && (((column - row) % apart) + apart) % apart < wide) out[i] = colour;
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
