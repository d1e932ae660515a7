// Links between documents. Streamlit would open each in another tab, with a new visit.
const LINK = '.st-key-documentation a[href^="?page="]';
const PATIENCE = 2000; // milliseconds within which a heading is drawn
let shown = 0;

function follow(event, open) {
  const link = event.target.closest?.(LINK);
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const there = new URL(link.href);
  open({ page: there.searchParams.get("page"), heading: decodeURIComponent(there.hash.slice(1)) });
}

function scroll(heading, until) {
  const target = heading && document.getElementById(heading);
  if (target) target.scrollIntoView();
  else if (heading && Date.now() < until) setTimeout(() => scroll(heading, until), 50);
  else document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
}

export default function ({ data, setTriggerValue }) {
  const listen = (event) => follow(event, (opened) => setTriggerValue("opened", opened));
  document.addEventListener("click", listen);
  if (data.serial !== shown) scroll(data.heading, Date.now() + PATIENCE);
  shown = data.serial;
  return () => document.removeEventListener("click", listen);
}
