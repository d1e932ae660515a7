// Kept by a browser page between redraws: plotly.js and the large parts of figures, each fetched once, by digest.
const STORE = (globalThis.__kanonPicture ??= { plotly: null, parts: new Map() });
const PARTS_KEPT = 40;

function addScript(url) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    script.onload = () => resolve(globalThis.Plotly);
    script.onerror = () => {
      script.remove();
      reject(new Error("The drawing library could not be loaded. Reload the page."));
    };
    document.head.appendChild(script);
  });
}

function loadPlotly(url) {
  STORE.plotly ??= persistently(() => addScript(url)).catch((error) => {
    STORE.plotly = null;
    throw error;
  });
  return STORE.plotly;
}

const ARRAYS = {
  i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array,
  i4: Int32Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array,
};

// Decoded here once, so that Plotly gets the identical array, not an equal one.
function decode(part) {
  if (typeof part?.bdata !== "string" || part.shape) return part;
  const bytes = Uint8Array.from(atob(part.bdata), (character) => character.charCodeAt(0));
  return new ARRAYS[part.dtype](bytes.buffer);
}

async function fetchPart(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error("A part of this picture is no longer on the server. Reload the page.");
  return decode(await response.json());
}

function loadPart(digest, url) {
  return fetchOnce(STORE.parts, PARTS_KEPT, digest, () => fetchPart(url));
}

// Puts the parts back where the figure names them: {"part": digest} in place of the value.
async function fillParts(traces, urls) {
  const waiting = [];
  for (const trace of traces) {
    for (const [name, value] of Object.entries(trace)) {
      const digest = value?.part;
      if (digest === undefined) continue;
      waiting.push(loadPart(digest, urls[digest]).then((part) => (trace[name] = part)));
    }
  }
  await Promise.all(waiting);
}
