// The look of a figure on the page: Streamlit's colors and font, light or dark, wherever the figure does not set its own.
const FONT_SIZE = 14; // as in kanon_engine/plot/colors.py
const USUAL = 16; // pixels of a frame's text
const CLEAR = "rgba(0,0,0,0)";
const MOST_TICKS = 8; // of given ones, on the horizontal axis of a phone
const LETTER = 8; // pixels of a letter of a title

function readTheme(element) {
  const style = getComputedStyle(element);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    background: read("--st-background-color"),
    text: read("--st-text-color"),
    grid: read("--st-border-color"),
    font: read("--st-font"),
    times: parseFloat(style.fontSize) / USUAL || 1, // text scale; larger on a projector
  };
}

function template(theme) {
  const axis = {
    gridcolor: theme.grid, linecolor: theme.grid, zerolinecolor: theme.grid, tickcolor: theme.grid, automargin: true,
  };
  const bar = { thickness: 14, outlinewidth: 0 };
  return {
    layout: {
      font: { family: theme.font, size: FONT_SIZE, color: theme.text },
      colorway: PALETTE.COLORS,
      paper_bgcolor: CLEAR,
      plot_bgcolor: CLEAR,
      xaxis: axis,
      yaxis: axis,
      coloraxis: { colorbar: bar },
      legend: { bgcolor: CLEAR },
      title: { x: 0.01, xanchor: "left" }, // the buttons are on the right
      hoverlabel: {
        bgcolor: theme.background, bordercolor: theme.text, font: { color: theme.text, size: FONT_SIZE },
      },
      shapedefaults: { line: { color: theme.text } },
      modebar: { bgcolor: CLEAR, color: theme.text, activecolor: theme.text },
    },
    data: {
      choroplethmap: [{ colorbar: bar, marker: { line: { color: theme.background, width: 0.5 } } }],
      scattermap: [{ line: { color: theme.text } }],
      heatmap: [{ colorbar: bar }],
      histogram2d: [{ colorbar: bar }],
    },
  };
}

// Plotly's own "white-bg" names a font server, and a map without a style asks for tiles; this one requests nothing.
function plainMap(theme) {
  const paint = { "background-color": theme.background };
  const layers = [{ id: "background", type: "background", paint }];
  // Plotly drops empty objects when it redraws, and MapLibre refuses a style without sources.
  const sources = { none: { type: "geojson", data: { type: "Point", coordinates: [0, 0] } } };
  return { id: `plain-${theme.background}`, version: 8, sources, layers };
}

// Words in lines of this many letters.
function inLines(text, letters) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (`${lines.at(-1)} ${word}`.length > letters && lines.at(-1)) lines.push(word);
    else lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines.join("<br>");
}

// On a phone there is no room for every number of a logarithmic axis or of many groups, a legend above, numbers on many
// axes, and a long title in one line.
function simplify({ data, layout }, width) {
  const axes = Object.keys(layout).filter((name) => /^[xy]axis\d*$/.test(name));
  const many = axes.length > 4;
  for (const name of axes) {
    const axis = { ...layout[name] };
    if (axis.type === "log" && axis.dtick === "D2") axis.dtick = 1;
    if (name.startsWith("x") && axis.ticktext?.length > MOST_TICKS && Array.isArray(axis.tickvals)) {
      const few = (_, place) => place % 3 === 0 || !/^[\d,]+$/.test(axis.ticktext[place]);
      [axis.tickvals, axis.ticktext] = [axis.tickvals.filter(few), axis.ticktext.filter(few)];
    }
    if (many) axis.showticklabels = false;
    layout[name] = axis;
  }
  if (layout.legend?.orientation === "h") {
    const rows = data.filter((trace) => trace.name && trace.showlegend !== false).length;
    layout.legend = { ...layout.legend, yref: "container", y: 0, yanchor: "bottom" };
    layout.margin = { ...layout.margin, t: 48, b: 60 + 20 * rows };
  }
  if (layout.title?.text) { // the buttons have their own line
    const text = inLines(layout.title.text, width / LETTER), more = text.split("<br>").length - 1;
    layout.title = { ...layout.title, text, yref: "container", y: 1, yanchor: "top", pad: { t: 6 + 10 * more } };
    layout.margin = { ...layout.margin, t: Math.max(layout.margin?.t ?? 0, 56 + 20 * more) };
  }
  if (many) {
    const titles = (layout.annotations ?? []).filter((note) => note.text?.startsWith("<b>"));
    layout.annotations = titles.map((note) => ({ ...note, font: { ...note.font, size: 10 } }));
  }
}

// All text of a figure, and the space reserved for it at the top.
function enlarge(part, times) {
  for (const [name, value] of Object.entries(part)) {
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) continue;
    if (/font$/.test(name) && typeof value.size === "number") value.size *= times;
    else if (name === "margin" && value.t) value.t *= times;
    else enlarge(value, times);
  }
}

function applyTheme(figure, theme) {
  const { data, layout } = figure;
  layout.template = template(theme);
  layout.margin = { l: 8, r: 8, t: layout.title?.text ? 48 : 8, b: 8, ...layout.margin };
  if (data.some((trace) => /map$/.test(trace.type) && trace.type !== "heatmap")) layout.map ??= {};
  for (const name of Object.keys(layout).filter((name) => /^map\d*$/.test(name))) {
    const style = layout[name].style ?? "white-bg";
    layout[name] = { ...layout[name], style: style === "white-bg" ? plainMap(theme) : style };
  }
  if (theme.times > 1) enlarge(layout, theme.times);
}
