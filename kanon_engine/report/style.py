"""Colors and sizes of the report; color-blind readers can distinguish blue and vermilion, which also have signs."""

from __future__ import annotations

from kanon_engine.plot.colors import NAVY, RULE, RUST
from kanon_engine.plot.colors import REPORT_GRAY as GRAY
from kanon_engine.plot.colors import REPORT_INK as INK
from kanon_engine.plot.colors import REPORT_PALE as PALE

TONE_COLORS = {"good": NAVY, "bad": RUST, "open": GRAY}

CSS = f"""
:root {{ color-scheme: light; }}
* {{ box-sizing: border-box; }}
body {{ margin: 0 auto; max-width: 62rem; padding: 2rem 1.5rem 3rem; background: #fff; color: {INK};
  font: 16px/1.5 system-ui, "Segoe UI", "Helvetica Neue", Arial, "Noto Sans", sans-serif; overflow-wrap: anywhere; }}
header {{ border-bottom: 3px solid {TONE_COLORS["good"]}; margin-bottom: 1rem; }}
.kind {{ margin: 0; color: {GRAY}; letter-spacing: .04em; text-transform: uppercase; font-size: .8rem; }}
h1 {{ margin: .1rem 0 .6rem; font-size: 2rem; line-height: 1.2; }}
h2 {{ margin: 2.4rem 0 .6rem; padding-top: .5rem; border-top: 1px solid {RULE}; font-size: 1.5rem; line-height: 1.25; }}
h3 {{ margin: 1.6rem 0 .4rem; font-size: 1.12rem; }}
nav ul {{ display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin: 0; padding: 0; list-style: none; }}
a {{ color: {TONE_COLORS["good"]}; }}
p {{ margin: .5rem 0; max-width: 50rem; white-space: pre-line; }}
.lead {{ margin: .8rem 0 1rem; font-size: 1.45rem; line-height: 1.35; font-weight: 600; }}
.note, .small, figcaption {{ color: {GRAY}; font-size: .86rem; line-height: 1.4; }}
.small {{ display: block; font-weight: 400; margin-top: .15rem; }}
.warning {{ border-left: 4px solid {TONE_COLORS["bad"]}; background: {PALE}; padding: .6rem .9rem; }}
.missing {{ color: {TONE_COLORS["bad"]}; font-style: italic; }}
.hidden {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }}
dl {{ margin: .6rem 0; }}
dl div {{ display: grid; grid-template-columns: 12rem 1fr; gap: 1rem; padding: .35rem 0; border-top: 1px solid {PALE};
  break-inside: avoid; }}
.write {{ padding-bottom: 1.9rem; border-bottom: 1px solid {GRAY}; }}
.sign {{ display: grid; grid-template-columns: 2fr 1fr 2fr; gap: 1.5rem; margin-top: 3.4rem; break-inside: avoid; }}
.sign p {{ margin: 0; padding-top: .2rem; border-top: 1px solid {INK}; color: {GRAY}; font-size: .86rem; }}
dt {{ font-weight: 600; }}
dd {{ margin: 0; white-space: pre-line; }}
table {{ width: 100%; margin: .9rem 0 1.2rem; border-collapse: collapse; table-layout: fixed; font-size: .92rem; }}
caption {{ text-align: left; font-weight: 600; padding: .2rem 0 .4rem; caption-side: top; }}
th, td {{ text-align: left; vertical-align: top; padding: .4rem .6rem .45rem 0; border-bottom: 1px solid {RULE}; }}
td {{ white-space: pre-line; }}
thead th {{ border-bottom: 2px solid {GRAY}; color: {GRAY}; font-size: .84rem; vertical-align: bottom; }}
.right {{ text-align: right; font-variant-numeric: tabular-nums; }}
.code {{ font-family: ui-monospace, "DejaVu Sans Mono", Consolas, monospace; font-size: .8rem; }}
.verdict {{ font-weight: 700; }}
.good {{ color: {TONE_COLORS["good"]}; }}
.bad {{ color: {TONE_COLORS["bad"]}; }}
.open {{ color: {TONE_COLORS["open"]}; }}
figure {{ margin: .8rem 0; break-inside: avoid; }}
figure img {{ display: block; width: 100%; max-height: 46rem; object-fit: contain; object-position: left; }}
footer {{ margin-top: 2.5rem; border-top: 1px solid {RULE}; color: {GRAY}; font-size: .86rem; }}
@media (max-width: 40rem) {{ dl div {{ grid-template-columns: 1fr; gap: .1rem; }} body {{ padding: 1rem; }} }}
@page {{ size: A4; margin: 17mm 15mm 19mm;
  @bottom-left {{ content: "Review of a release · internal"; font: 8pt sans-serif; color: {GRAY}; }}
  @bottom-right {{ content: "Page " counter(page) " of " counter(pages); font: 8pt sans-serif; color: {GRAY}; }} }}
@media print {{
  html {{ font-size: 12.5px; }}
  body {{ max-width: none; padding: 0; font-size: 1rem; }}
  nav, footer {{ display: none; }}
  main > section:first-child {{ break-after: page; }}
  main > section:last-child {{ break-before: page; }}
  main > section:first-child h2 {{ border-top: 0; margin-top: .5rem; }}
  h2, h3, caption, thead {{ break-after: avoid; }}
  thead {{ display: table-header-group; }}
  tr {{ break-inside: avoid; }}
}}
"""
