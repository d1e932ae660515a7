// Streamlit sends a component's script with every message: this one is short, and loads the map's own once.
export default function (drawn) {
  let leave = null;
  let gone = false;
  persistently(() => import(new URL(drawn.data.script, document.baseURI).href)).then(
    ({ default: show }) => {
      if (!gone) leave = show(drawn);
    },
    () => (drawn.parentElement.textContent = "The map's script could not be loaded. Reload the page."),
  );
  return () => {
    gone = true;
    leave?.();
  };
}
