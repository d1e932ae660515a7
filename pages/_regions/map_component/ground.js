// What the areas lie on: water and borders around them, counties over them.
const WATER = "rgba(86, 156, 205, 0.3)"; // over the page's own colour, light or dark
const STROKES = {
  borders: { colour: "#7d8891", width: 1.2, dash: [] },
  counties: { colour: "rgba(70, 80, 90, 0.6)", width: 1, dash: [2, 3] },
};
// Lines or rings as one path in units of the map, y to the south as a canvas has it.
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
  // result at the same place finds both painted.
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
      const { colour, width: wide, dash } = STROKES[name];
      Object.assign(pen, { strokeStyle: colour, lineWidth: wide, lineJoin: "round" });
      pen.setLineDash(dash);
      pen.stroke(path);
    }
    return canvas;
  }
}
