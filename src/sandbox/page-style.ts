import { pageLook } from "../views/page-style.ts";

export const pageStyle = `${pageLook}
header, main { max-width: 72rem; margin: 0 auto; padding: 1rem 1.25rem; }
header { padding-bottom: 0; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.2rem; margin: 1rem 0 0; scroll-margin-top: 1rem; }
h3 { font-size: 1.1rem; margin: 0; scroll-margin-top: 2rem; }
article:has(h3:target) { border-color: var(--soft); }
header p, section > p, .when, dt { color: var(--soft); }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
nav a { padding: .25rem 0; }
article { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.25rem; margin: .75rem 0; }
.closed { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; padding: .35rem 1.25rem; margin: .3rem 0; }
.closed p { margin: 0; }
h3 a::before { display: inline-block; margin-right: .3em; content: "▸"; content: "▸" / ""; }
h3 a[aria-expanded="true"]::before { content: "▾"; content: "▾" / ""; }
form { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .6rem; margin: .5rem 0; }
input, button { padding: .3rem .7rem; }
input { flex: 1 1 10rem; max-width: 22rem; }
[role="search"] label { flex-basis: 100%; }
[role="switch"]::before { content: ""; display: inline-block; width: 2rem; height: 1.1rem; margin-right: .5rem; vertical-align: -.15rem; border-radius: 1rem; background: radial-gradient(circle at .55rem 50%, var(--card) .4rem, var(--soft) .45rem); }
[role="switch"][aria-checked="true"]::before { background: radial-gradient(circle at 1.45rem 50%, var(--card) .4rem, var(--good) .45rem); }
.scroll svg { display: block; max-width: none; }
.alike { background: var(--alike); color: var(--alike-ink); border-radius: .25rem; padding: .25rem .6rem; }
.keys { list-style: none; margin: .6rem 0; padding: 0; }
.keys li { padding: .15rem 0; }
dl { margin: .6rem 0; }
dl div { display: grid; grid-template-columns: 10rem 1fr; gap: 0 1rem; }
dd { margin: 0; }
.when { font-size: .875rem; margin: 0; }
.scroll, .card { background-color: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin: .75rem 0; }
table { font-size: .9rem; }
caption { padding: .6rem .75rem; }
th, td { padding: .4rem .75rem; }
.requests td p { margin: 0; color: var(--soft); }
.requests :is(th, td):first-child { width: 1%; overflow-wrap: normal; }
.requests td:nth-child(2) { width: 45%; }
thead:first-child th { border-top: 0; }
tbody th { width: 1%; padding-right: 2rem; white-space: nowrap; font-variant-numeric: tabular-nums; }
tbody th .when { display: block; font-weight: 400; white-space: normal; }
@media print {
  form, nav { display: none; }
  .scroll svg { max-width: 100%; height: auto; }
  article, tr { break-inside: avoid; }
}
@media (max-width: 36rem) {
  dl div { grid-template-columns: 1fr; }
  dd { margin-bottom: .35rem; }
  .requests th, .requests td { padding: .4rem 0 .4rem .6rem; }
}
`;
