// One picture on the page. The element stays, and Plotly.react changes only what differs, so zoom and pan are kept.
const PICTURES = new WeakMap();
const NARROW = 420; // pixels of a phone
const SETTLE = 15000; // a map that never comes to rest must not delay the next result
const LEFT_OUT = [
  "toImage", "sendChartToCloud", "downloadJson", "select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d",
  "hoverClosestCartesian", "hoverCompareCartesian", "toggleSpikelines",
];

async function download(plot) {
  const { plotly, theme, filename } = plot.picture;
  const { data, layout } = plot;
  const figure = { data, layout: { ...structuredClone(layout), paper_bgcolor: theme.background } };
  const { width, height } = plot._fullLayout;
  await plotly.downloadImage(figure, { format: "png", scale: 2, width, height, filename });
}

const SCREEN = { // the icon of its button, in the units of Plotly's icons
  width: 16, height: 16, path: "M1 2h14v1.5h-1V11H8.8v1.2l2.6 2.6-1 1L8 13.4l-2.4 2.4-1-1 2.6-2.6V11H2V3.5H1zM3.5 3.5v6h9v-6z",
};

// The same object for every redraw: Plotly redraws everything when its configuration differs.
function configuration(plotly, presents) {
  const name = presents ? "presentable" : "configuration";
  const more = { name: "present", title: PRESENT_WORDS, icon: SCREEN, click: ({ picture }) => picture.present() };
  STORE[name] ??= {
    displaylogo: false,
    displayModeBar: "hover",
    showSendToCloud: false,
    plotlyServerURL: "",
    modeBarButtonsToRemove: LEFT_OUT,
    modeBarButtonsToAdd: [
      { name: "download", title: "Download this picture as PNG", icon: plotly.Icons.camera, click: download },
      ...(presents ? [more] : []),
    ],
  };
  return STORE[name];
}

// customdata is the number of the class, or a row that begins with it.
function clicked(event) {
  const point = event.points[0];
  const held = point.customdata;
  const first = typeof held === "object" && held !== null ? held[0] : held;
  const number = Number.isInteger(first) ? first : null;
  return { class_number: number, x: point.x ?? null, serial: Date.now() };
}

// Center and zoom at which the map shows all of layout.meta.bounds (west, south, east, north) in the available space.
function fitMap(layout, width, height) {
  const bounds = layout.meta?.bounds;
  if (!bounds || !layout.map || !width) return;
  const [west, south, east, north] = bounds;
  const up = (latitude) => Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360));
  const { l, r, t, b } = layout.margin;
  const across = (0.94 * Math.max(width - l - r, 50) * 360) / (512 * Math.max(east - west, 1e-6));
  const along = (0.94 * Math.max(height - t - b, 50) * 2 * Math.PI) / (512 * Math.max(up(north) - up(south), 1e-8));
  const middle = (360 / Math.PI) * Math.atan(Math.exp((up(south) + up(north)) / 2)) - 90;
  layout.map.center = { lon: (west + east) / 2, lat: middle };
  layout.map.zoom = Math.min(Math.max(Math.log2(Math.min(across, along)), 0), 15);
}

// The view in a change: center and zoom of a map, or the ranges of a plane's axes; null if there is none.
function viewIn(changes) {
  const kept = Object.entries(changes ?? {}).filter(([name]) => /^(map\.(center|zoom)|[xy]axis\.(range|autorange).*)$/.test(name));
  return kept.length ? Object.fromEntries(kept) : null;
}

function take(layout, view) {
  for (const [name, value] of Object.entries(view)) {
    const [part, key, index] = name.split(/[.[\]]/);
    if (!layout[part]) continue;
    if (index === undefined) layout[part][key] = structuredClone(value);
    else (layout[part][key] ??= [])[Number(index)] = value;
  }
}

class Picture {
  constructor(parent) {
    this.frame = document.createElement("div");
    this.frame.className = "kanon-picture";
    this.frame.setAttribute("role", "figure");
    this.note = document.createElement("p");
    this.note.setAttribute("role", "alert");
    this.plot = document.createElement("div");
    this.plot.picture = this;
    this.wait = document.createElement("p"); // until there is something to see
    this.wait.className = "kanon-wait";
    this.wait.setAttribute("role", "status");
    this.wait.textContent = "Drawing the picture …";
    this.frame.append(this.wait, this.plot, this.note);
    parent.appendChild(this.frame);
    this.watcher = new ResizeObserver(() => this.fit());
    this.watcher.observe(this.frame);
    this.tall = new Rest(this.frame, (pixels) => this.stretch(pixels));
    this.presented = new Presented(this.frame, () => this.draw(this.latest));
  }

  stretch(pixels) {
    this.plot.style.height = `${pixels}px`;
    this.fit();
  }

  present() {
    if (this.presented.on) endPresenting();
    else present(this.presented.key);
  }

  // Of the results that arrive while one is drawn, only the last is worth drawing.
  async draw(data) {
    this.wanted = this.latest = data;
    if (this.busy) return;
    this.busy = true;
    while (this.wanted && !this.removed) {
      const next = this.wanted;
      this.wanted = null;
      try {
        await this.show(next);
        this.note.textContent = "";
      } catch (error) {
        this.note.textContent = error.message;
      }
      this.wait.remove();
    }
    this.busy = false;
  }

  async show(data) {
    if (this.wait.isConnected) this.tall.wish(data.height); // so that the page does not grow later
    this.plotly = await loadPlotly(data.plotly);
    const figure = JSON.parse(data.figure);
    await fillParts(figure.data, data.parts);
    if (this.removed) return;
    this.presented.wish(data.presents);
    this.theme = readTheme(this.frame);
    this.filename = data.filename;
    this.together = data.together;
    const least = figure.layout.meta?.least; // pixels; in a narrower frame the picture is scrolled
    this.plot.style.minWidth = least ? `${least}px` : "";
    this.frame.style.overflowX = least ? "auto" : "";
    const narrow = this.plot.clientWidth < NARROW;
    this.frame.classList.toggle("narrow", narrow);
    if (narrow) simplify(figure, this.plot.clientWidth);
    applyTheme(figure, this.theme);
    this.tall.wish(data.height);
    fitMap(figure.layout, this.frame.clientWidth, this.plot.clientHeight);
    this.adopt(figure.layout);
    this.frame.setAttribute("aria-label", data.label);
    this.led = true; // ignore its view events meanwhile
    const drawing = this.plotly.react(this.plot, figure.data, figure.layout, configuration(this.plotly, data.presents));
    if (!this.listening) {
      this.listening = true;
      this.plot.on("plotly_click", (event) => this.send(clicked(event)));
      this.plot.on("plotly_relayouting", (changes) => this.lead(changes, false));
      this.plot.on("plotly_relayout", (changes) => this.lead(changes, true));
    }
    await Promise.race([drawing, sleep(SETTLE)]);
    this.led = false;
    this.fit();
    this.frame.dataset.drawn = data.digest; // says which result is visible
  }

  // All linked pictures show what this one shows.
  others() {
    const found = [...document.querySelectorAll(".kanon-picture > div")].map((plot) => plot.picture);
    return found.filter((one) => one && one !== this && one.together === this.together && one.revision === this.revision);
  }

  // Its previous view, or that of the others.
  adopt(layout) {
    this.revision = layout.uirevision;
    if (!this.together) return;
    if (this.seen?.revision !== this.revision) this.seen = this.others().find((one) => one.seen)?.seen;
    if (this.seen) take(layout, this.seen.view);
  }

  lead(changes, ended) {
    const view = viewIn(changes);
    if (!this.together || this.led || !view) return;
    this.seen = { view, revision: this.revision };
    for (const other of this.others()) other.follow(this.seen, ended);
  }

  async follow(seen, ended) {
    this.seen = seen;
    const map = this.plot._fullLayout?.map?._subplot?.map;
    this.led = true;
    if (map && !ended) map.jumpTo({ center: seen.view["map.center"], zoom: seen.view["map.zoom"] });
    else if (ended && this.plot._fullLayout) await this.plotly.relayout(this.plot, seen.view);
    this.led = false;
  }

  fit() {
    const { plot } = this;
    const layout = plot._fullLayout;
    if (!layout || this.removed || plot.clientWidth === 0) return;
    if (layout.width === plot.clientWidth && layout.height === plot.clientHeight) return;
    this.plotly.Plots.resize(plot);
  }

  remove() {
    this.removed = true;
    this.watcher.disconnect();
    this.tall.end();
    this.presented.end();
    this.plotly?.purge(this.plot);
    this.frame.remove();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  let picture = PICTURES.get(parentElement);
  if (!picture || picture.removed) PICTURES.set(parentElement, (picture = new Picture(parentElement)));
  picture.send = (event) => setTriggerValue("event", event);
  picture.draw(data);
  return () => picture.remove();
}
