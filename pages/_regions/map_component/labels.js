// Where the labels of groups stand: inside, near the middle of what is to be seen of a group; none over another.
const MOST_LABELS = 400;
const LABEL_HEIGHT = 16; // pixels of the page
const SAMPLED = 4; // every so many pixels of the page
const AROUND = [[-1.6, 0], [1.6, 0], [0, -1], [0, 1], [-1.6, -1], [1.6, -1], [-1.6, 1], [1.6, 1]]; // half a label

// Of each group that is to be seen within `window` (left, top, right, bottom in pixels): how large it is, and a spot.
function groupSpots({ owners, columns }, kinds, groups, [left, top, right, bottom], step, room) {
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
  const spots = new Int32Array(2 * groups);
  const alike = (group, column, row) =>
    column < left || column >= right || row < top || row >= bottom || kinds[owners[row * columns + column]] === group;
  each((group, column, row) => {
    const size = sums[3 * group];
    let far = Math.hypot(column - sums[3 * group + 1] / size, row - sums[3 * group + 2] / size);
    if (far >= best[group]) return;
    for (const [across, down] of AROUND)
      if (!alike(group, column + Math.round(across * room), row + down * room)) far += 2 * room;
    if (far >= best[group]) return;
    best[group] = far;
    spots[2 * group] = column;
    spots[2 * group + 1] = row;
  });
  return { sizes: sums, spots };
}

// The labels that have room, as [text, x, y] in pixels of the page.
function placeLabels(raster, kinds, texts, window, fine, pen) {
  const step = SAMPLED * fine;
  const edges = window.map((edge) => Math.round(edge * fine));
  const room = Math.round((LABEL_HEIGHT / 2) * fine);
  const { sizes, spots } = groupSpots(raster, kinds, texts.length, edges, step, room);
  const seen = [];
  for (let group = 0; group < texts.length; group++) {
    const size = sizes[3 * group] * SAMPLED ** 2;
    if (size > LABEL_HEIGHT ** 2) seen.push([size, group]);
  }
  seen.sort((one, other) => other[0] - one[0]);
  const placed = [];
  for (const [size, group] of seen) {
    if (!texts[group]) continue;
    const half = pen.measureText(texts[group]).width / 2 + 2;
    if (size < 2 * half * LABEL_HEIGHT) continue;
    const [x, y] = [spots[2 * group] / fine, spots[2 * group + 1] / fine];
    const clear = placed.every((one) => Math.abs(one.x - x) > one.half + half || Math.abs(one.y - y) > LABEL_HEIGHT);
    if (clear) placed.push({ text: texts[group], x, y, half });
    if (placed.length === MOST_LABELS) break;
  }
  return placed;
}
