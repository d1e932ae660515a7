// Where labels stand: those of groups inside, near the middle of what is to be seen of a group, names of places where those
// leave room. None stands over another, nor below what is `shut`: boxes of left, top, right, bottom.
const MOST_LABELS = 400;
const LABEL_HEIGHT = 16; // pixels of the page
const SAMPLED = 4; // every so many pixels of the page
const AROUND = [[-1.6, 0], [1.6, 0], [0, -1], [0, 1], [-1.6, -1], [1.6, -1], [-1.6, 1], [1.6, 1]]; // half a label
const LARGEST = 24; // places on the screen
const APART = 4; // pixels around the name of a place
const BESIDE = [[0, 0], [0, -1.1], [0, 1.1], [1, 0], [-1, 0], [1, -1.1], [1, 1.1], [-1, -1.1], [-1, 1.1]]; // half a name across, a line down

// Of each group that is to be seen within `window`: how large it is in pixels of the page, and a spot.
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

// The labels of groups that have room, each with its middle in pixels of the page and half its width.
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

// The names of the largest places to be seen that have room beside `labels`, near where they lie.
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
