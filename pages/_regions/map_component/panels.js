// The elements around the map: the words about an area and its group, the area search, the legend, the scale.
const MOST_FOUND = 8;
const MOST_NAMED = 8;
const EQUATOR = 40075016.7; // meters

function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content); // text stays text
  return made;
}

function counted(number, one, many) {
  return `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`;
}

// Weight and areas of each group, summed here, so that the page need not send them.
function sumGroups(groups, weights, count) {
  const sums = Array.from({ length: count }, () => ({ weight: 0, areas: 0 }));
  groups.forEach((group, area) => {
    if (!group) return;
    sums[group - 1].weight += weights[area];
    sums[group - 1].areas += 1;
  });
  return sums;
}

class Words {
  constructor(shapes, { groups, classes, unit }) {
    Object.assign(this, { shapes, groups, unit });
    this.sums = sumGroups(groups, shapes.weights, classes);
  }

  people(weight) {
    return `${weight.toLocaleString("en-US")} ${this.unit}`;
  }

  // Lines about an area and its group, the title first.
  area(area) {
    const title = this.shapes.title(area);
    return [title, this.people(this.shapes.weights[area]), this.group(this.groups[area] - 1)];
  }

  group(group) {
    if (group < 0) return "In no group: left out";
    const { weight, areas } = this.sums[group];
    return `Group ${group + 1}: ${this.people(weight)}, ${counted(areas, "area", "areas")}`;
  }

  // The heaviest areas of a group.
  members(group) {
    const { shapes, groups } = this;
    const found = [];
    groups.forEach((one, area) => one - 1 === group && found.push(area));
    found.sort((one, other) => shapes.weights[other] - shapes.weights[one]);
    const named = found.slice(0, MOST_NAMED).map((area) => shapes.title(area)).join(", ");
    return found.length > MOST_NAMED ? `${named} and ${found.length - MOST_NAMED} more` : named;
  }
}

function plain(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

// Areas whose code or name starts with the query, then those that contain it; among equals the heaviest first.
function findAreas(shapes, asked) {
  shapes.plain ??= shapes.ids.map((id, area) => [plain(id), plain(shapes.names?.[area] ?? "")]);
  const wanted = plain(asked.trim());
  if (!wanted) return [];
  const found = [];
  shapes.plain.forEach(([id, name], area) => {
    if (id === wanted) found.push([0, area]);
    else if (id.startsWith(wanted)) found.push([1, area]);
    else if (name.startsWith(wanted)) found.push([2, area]);
    else if (name.includes(wanted)) found.push([3, area]);
  });
  found.sort(([rank, area], [other, second]) => rank - other || shapes.weights[second] - shapes.weights[area]);
  return found.slice(0, MOST_FOUND).map(([, area]) => area);
}

class Search {
  constructor(found) {
    this.found = found; // called with the area that the user chose
    this.field = element("input");
    Object.assign(this.field, { type: "search", placeholder: "Find an area …", autocomplete: "off", spellcheck: false });
    this.list = element("ul");
    this.list.hidden = true;
    this.list.id = `kanon-found-${Math.random().toString(36).slice(2)}`;
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Areas found");
    const said = { role: "combobox", "aria-label": "Find an area", "aria-controls": this.list.id, "aria-expanded": "false" };
    for (const [name, value] of Object.entries(said)) this.field.setAttribute(name, value);
    this.frame = element("div", "kanon-map-search", this.field, this.list);
    this.field.addEventListener("input", () => this.look());
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("blur", () => this.close());
    this.list.addEventListener("pointerdown", (event) => {
      event.preventDefault(); // the field keeps the focus until the choice is made
      const row = event.target.closest("li");
      if (row) this.choose(Number(row.dataset.area));
    });
  }

  look() {
    const areas = this.shapes ? findAreas(this.shapes, this.field.value) : [];
    this.at = areas.length ? 0 : -1;
    this.list.replaceChildren(
      ...areas.map((area, i) => {
        const row = element("li", "", this.shapes.title(area));
        row.id = `${this.list.id}-${i}`;
        row.dataset.area = area;
        row.setAttribute("role", "option");
        return row;
      }),
    );
    if (this.field.value.trim() && !areas.length) this.list.append(element("li", "none", "No such area on this map"));
    this.list.hidden = !this.list.childElementCount;
    this.field.setAttribute("aria-expanded", String(!this.list.hidden));
    this.mark();
  }

  mark() {
    [...this.list.children].forEach((row, i) => row.setAttribute("aria-selected", String(i === this.at)));
    if (this.at >= 0) this.field.setAttribute("aria-activedescendant", `${this.list.id}-${this.at}`);
    else this.field.removeAttribute("aria-activedescendant");
  }

  key(event) {
    event.stopPropagation(); // the map has its own keys
    const rows = this.list.querySelectorAll("li[data-area]");
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && rows.length) {
      this.at = (this.at + by + rows.length) % rows.length;
      this.mark();
    } else if (event.key === "Enter" && rows[this.at]) this.choose(Number(rows[this.at].dataset.area));
    else if (event.key === "Escape" && !this.list.hidden) this.close();
    else return;
    event.preventDefault();
  }

  choose(area) {
    this.field.value = this.shapes.title(area);
    this.close();
    this.found(area);
  }

  close() {
    this.list.hidden = true;
    this.field.setAttribute("aria-expanded", "false");
    this.field.removeAttribute("aria-activedescendant");
  }
}

// Rows of a sample and words; the fullness scale as a strip with its marks.
function legendRows({ palette, ticks, note }, { hatched, stripes }, lines, shapes) {
  const rows = [];
  if (ticks.length) {
    const strip = element("div", "strip");
    strip.style.background = `linear-gradient(to right, ${palette.join(", ")})`;
    const marks = element("div", "ticks");
    for (const [place, words] of ticks) {
      const mark = element("span", "", words);
      mark.style.left = `${100 * place}%`;
      marks.append(mark);
    }
    rows.push(element("div", "", note), strip, marks);
  }
  if (hatched) rows.push(element("div", "", element("i", "hatch"), "left out"));
  if (stripes) rows.push(element("div", "", element("i", "hatch changed"), "in another group"));
  for (const kind of Object.keys(lines)) {
    const { color, width, dash, words } = LINES[kind];
    const sample = element("i", "line");
    sample.style.borderTop = `${width}px ${dash.length ? "dashed" : "solid"} ${color}`;
    rows.push(element("div", "", sample, words));
  }
  const ours = [shapes.borders.length && "Natural\u00a0Earth", shapes.counties.length && "Census"].filter(Boolean);
  if (ours.length) rows.push(element("div", "source", `Outlines: ${ours.join(", ")} 1\u202f:\u202f10,000,000`));
  return rows;
}

// The longest of 1, 2, 5, 10 … that fits in this many pixels, with its words; null if there is no location on Earth.
function scaleFor(shapes, view, most = 110) {
  if (!shapes.placed) return null;
  const north = view.y * shapes.half + shapes.middle[1];
  const meters = (EQUATOR * shapes.half) / (2 * Math.PI) / Math.cosh(north) / view.scale; // a pixel, here
  const power = 10 ** Math.floor(Math.log10(most * meters));
  const length = [5, 2, 1].find((times) => times * power <= most * meters) * power;
  const words = length >= 1000 ? `${(length / 1000).toLocaleString("en-US")} km` : `${length.toLocaleString("en-US")} m`;
  return { width: length / meters, words };
}
