import { pageLook } from "../util/page-style.ts";

export const previewStyle = `${pageLook}
:root {
  --ground: light-dark(#f7f7f8, #0e0f12); --card: light-dark(#fff, #16181d); --sunk: light-dark(#f2f3f5, #1c1f25);
  --ink: light-dark(#16181d, #eceef2); --soft: light-dark(#5f6672, #a0a7b4); --line: light-dark(#e4e6ea, #262a32); --edge: light-dark(#d3d6dc, #363b46);
  --link: light-dark(#3a55d1, #91a5ff); --on-link: light-dark(#fff, #0e1230); --led: light-dark(#eef1fe, #1d2340);
  --good: light-dark(#16743c, #6fcf97); --reached: light-dark(#e6f5ec, #12291c); --bad: light-dark(#b3261e, #ff9087); --fault: light-dark(#fdeceb, #331614);
  --alike: light-dark(#fdf3dc, #2e230d); --alike-ink: light-dark(#8a5300, #f1c267);
  --pop: 0 12px 32px -8px rgb(16 24 40 / .25), 0 2px 6px rgb(16 24 40 / .1);
}
body { font-size: .875rem; line-height: 1.45; }
#page { display: grid; grid-template-columns: 15rem minmax(0, 1fr); }
/* A name in a right-to-left script does not reorder the text around it. */
a, b, code, q, s, small, span, strong { unicode-bidi: isolate; }
b { font-weight: 600; }
code { font-size: .8rem; }
small { font-size: .78rem; color: var(--soft); font-weight: 400; }
h1 { font-size: 1.5rem; line-height: 1.2; letter-spacing: -.02em; margin: .2rem 0; }
h1:focus { outline: none; }
h2 { font-size: .78rem; font-weight: 550; color: var(--soft); margin: 0; display: flex; gap: .5rem; align-items: center; }
ul, ol { list-style: none; margin: 0; padding: 0; }
a { text-underline-offset: .2em; }
q { quotes: none; }
summary { cursor: pointer; }
button { border-color: var(--edge); padding: .3rem .75rem; }
button:hover { background: var(--sunk); }
[aria-disabled="true"] { cursor: default; opacity: .5; }
.soft, .was { color: var(--soft); }
.was { font-size: .78rem; }
s.was { display: block; }
.unseen, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.alert { margin: 0 0 1rem; padding: .6rem 1rem; border-radius: .75rem; background: var(--alike); color: var(--alike-ink); }
.pill { border-radius: 99px; padding: .05rem .55rem; font-size: .75rem; font-weight: 550; white-space: nowrap; background: var(--led); color: var(--link); }
.pill.good { background: var(--reached); color: var(--good); }
.pill.bad { background: var(--fault); color: var(--bad); }
.pill.warn { background: var(--alike); color: var(--alike-ink); }
.dot { flex: none; display: inline-block; width: .5rem; height: .5rem; border-radius: 50%; background: var(--edge); position: relative; }
.dot.changed { background: var(--link); }
.dot:is(.error, .failed) { background: var(--bad); }
.dot.warning { background: light-dark(#c98a1b, #f1c267); }
.dot.passed { background: var(--good); }
.face { width: 1.75rem; height: 1.75rem; flex: none; display: grid; place-items: center; border-radius: 50%; font-size: .7rem; font-weight: 650; background: light-dark(oklch(.92 .05 var(--hue)), oklch(.34 .06 var(--hue))); color: light-dark(oklch(.38 .09 var(--hue)), oklch(.9 .06 var(--hue))); }
.face.menu { border-radius: .45rem; background: var(--led); color: var(--link); font-size: .9rem; }
.face.none { background: var(--sunk); color: var(--soft); }
.cap { width: 1.9rem; height: 1.9rem; flex: none; display: grid; place-items: center; border: 1px solid var(--edge); border-bottom-width: 2.5px; border-radius: .5rem; background: var(--card); font-weight: 650; }
.cap.empty { border-style: dashed; border-bottom-width: 1px; color: var(--soft); }

.side { position: sticky; top: 0; height: 100vh; display: flex; flex-direction: column; padding: .9rem .6rem; border-right: 1px solid var(--line); }
.brand { margin: 0; padding: 0 .5rem; font-weight: 650; }
.brand small, .live { display: block; line-height: 1.3; }
.live { margin: .2rem 0 0; padding: 0 .5rem; font-size: .78rem; font-weight: 400; color: var(--soft); }
.live.bad { color: var(--bad); font-weight: 600; }
nav { display: flex; flex-direction: column; flex: 1; min-height: 0; }
nav > input { margin: .7rem 0; padding: .4rem .6rem; border-color: var(--edge); border-radius: .5rem; }
#menus { overflow-y: auto; flex: 1; }
nav li > a, .group, .new-menu { display: flex; gap: .45rem; align-items: center; min-height: 1.9rem; padding: .15rem .5rem; border-radius: .45rem; color: var(--soft); text-decoration: none; outline-offset: -3px !important; }
nav li > a:hover, button.group:hover { background: var(--sunk); }
nav li > a[aria-current] { background: var(--led); color: var(--ink); font-weight: 600; }
nav .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
nav .pages .name { flex: 1; }
nav .why { display: block; padding: 0 .5rem .3rem; }
nav .gone { text-decoration: line-through; }
.group { width: 100%; margin: .7rem 0 0; border: 0; background: none; justify-content: space-between; font-size: .78rem; }
button.group::after { content: "▸"; order: -1; }
button.group[aria-expanded="true"]::after { content: "▾"; }
button.group span { flex: 1; text-align: left; }
.depth-1 { padding-left: .9rem; }
.depth-2 { padding-left: 1.8rem; }
.depth-3 { padding-left: 2.7rem; }

.content { display: flex; flex-direction: column; min-height: 100vh; padding: 1.1rem clamp(1rem, 3vw, 1.75rem) 1rem; }
main { flex: 1; width: 100%; max-width: 74rem; margin: 0 auto; }
article > header { margin-bottom: 1rem; }
article > header > .form { margin: .8rem 0 0; }
article > p { margin: 0 0 1rem; }
.crumbs { color: var(--soft); font-size: .82rem; margin: 0; }
.crumbs a { color: inherit; text-decoration: none; }
.crumbs a:hover { text-decoration: underline; }
.meta { display: flex; gap: .2rem .9rem; align-items: center; flex-wrap: wrap; margin: 0; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 18.5rem; gap: 1.5rem; align-items: start; }
.stale :is(.step, .try) { filter: grayscale(1); }

/* A menu reads downwards like a call. */
.step { padding: .6rem 0 .3rem; position: relative; margin-bottom: 1.2rem; }
.step:not(:last-child)::after { content: ""; position: absolute; left: 2rem; bottom: -1.25rem; height: 1.2rem; border-left: 1.5px solid var(--edge); }
.step > h2 { padding: 0 1rem .1rem; }
.note { margin-left: auto; font-size: .78rem; font-weight: 400; color: var(--soft); }
.say { display: flex; gap: .9rem; align-items: flex-start; padding: .3rem 1rem .6rem; }
.say p { flex: 1; margin: 0; font-size: .98rem; line-height: 1.5; text-wrap: pretty; }
.say .play { margin-top: -.15rem; }
.play { width: 1.8rem; height: 1.8rem; flex: none; border: 0; border-radius: 50%; padding: 0; font-size: .7rem; background: var(--led); color: var(--link); }
.warnings { border-top: 1px solid var(--line); padding: .5rem 1rem .3rem; color: var(--alike-ink); }
.rows { padding: .1rem .3rem; }
.row { position: relative; display: grid; grid-template-columns: 2rem minmax(0, 1fr) minmax(0, 1.15fr) 7.5rem; gap: .8rem; align-items: center; width: 100%; min-height: 2.8rem; padding: .3rem .7rem; border: 0; border-radius: .5rem; background: none; color: inherit; text-align: left; }
.row:has(.pen):hover, .row:has([aria-expanded="true"]), .row.add:hover { background: var(--sunk); }
.row.lit .cap, .key.lit { border-color: var(--link); color: var(--link); background: var(--led); }
.row.gone { text-decoration: line-through; color: var(--soft); }
.row .for > bdi { font-weight: 550; }
.row.add { grid-template-columns: 2rem 1fr; color: var(--soft); }
.heard { font-size: .78rem; color: var(--soft); }
.to, .chip, .choice { display: flex; gap: .6rem; align-items: center; min-width: 0; }
.who { flex: 1; min-width: 0; }
.who :is(b, a, small, .was), .choice > small { display: block; line-height: 1.3; width: fit-content; max-width: 100%; }
.who :is(b, a) { font-weight: 550; color: inherit; }
.who a { position: relative; z-index: 1; text-decoration-color: var(--edge); }
.flags { display: flex; gap: .4rem; justify-content: flex-end; align-items: center; flex-wrap: wrap; }
.pen { border: 0; background: none; padding: 0 .2rem; color: var(--soft); font-size: .78rem; }
.pen:hover { background: none; }
/* The whole row is the button. */
.row .pen::after { content: ""; position: absolute; inset: 0; border-radius: .5rem; }
.row .pen:focus-visible { outline: none; }
.row .pen:focus-visible::after { outline: 3px solid var(--link); }
@media (hover: hover) { .row:not(:hover) .pen:not(:focus-visible, [aria-expanded="true"]) { color: transparent; } }

.try { position: sticky; top: 1.1rem; max-height: calc(100vh - 2.2rem); overflow-y: auto; padding: .8rem; }
.try-head { display: flex; justify-content: space-between; align-items: center; margin-bottom: .4rem; }
.try-head h2 { color: var(--ink); }
.try-head button { padding: 0 .4rem; min-height: 1.6rem; }
.keypad { display: grid; grid-template-columns: repeat(3, 1fr); gap: .4rem; }
.key { height: 2.9rem; padding: 0 .2rem; overflow: hidden; border-color: var(--line); border-radius: .55rem; font-size: 1.05rem; font-weight: 600; line-height: 1.15; color: var(--soft); }
.key small { display: block; font-size: .66rem; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.key.used { color: var(--ink); border-color: var(--edge); }
.key.faulty { border-color: var(--bad); }
.controls { display: flex; gap: .4rem; margin-top: .4rem; }
.controls button { flex: 1; padding: .2rem; font-size: .8rem; font-weight: 550; }
.transcript { margin-top: .8rem; padding-top: .7rem; border-top: 1px solid var(--line); display: grid; gap: .5rem; font-size: .82rem; }
.transcript li { display: flex; gap: .6rem; align-items: flex-start; }
.transcript li > div { flex: 1; padding-top: .1rem; }
.transcript .cap { width: 1.5rem; height: 1.5rem; font-size: .75rem; border-radius: .4rem; }
.transcript q { color: var(--soft); }
.narrow { display: none; }
.hint, .before { font-size: .8rem; margin: .6rem 0 0; }
kbd { min-width: 1.4em; font-size: .75rem; }
.end { display: flex; gap: .6rem; align-items: center; margin-top: .6rem; padding: .6rem .7rem; border-radius: .6rem; background: var(--reached); }
.end.bad { background: var(--fault); color: inherit; font-weight: 400; }
.end small { display: block; color: inherit; opacity: .85; }
.save { margin: .6rem 0 0; }

/* Pages of one quiet line per item. */
.items > li:not(:last-child) { border-bottom: 1px solid var(--line); }
.line { position: relative; display: flex; gap: .6rem; align-items: center; min-height: 2.6rem; padding: .35rem 1rem; list-style: none; }
.line::-webkit-details-marker { display: none; }
.line > span:not([class]), .line > .who, .says { flex: 1; min-width: 0; }
.item > .line:hover, .number:hover { background: var(--sunk); }
.item > .line::after { content: "▸"; color: var(--soft); font-size: .75rem; }
.item[open] > .line::after { content: "▾"; }
.line .who { display: flex; gap: .2rem .6rem; align-items: baseline; flex-wrap: wrap; }
.more { padding: 0 1rem .8rem; }
.more > * { margin: .3rem 0; }
.problem { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 0 .4rem; padding-right: .6rem; }
.problem > .form { flex: 1 0 calc(100% - .6rem); margin-inline: .6rem 0; }
.problem > .item { flex: 1 1 60%; min-width: 0; }
.problem > button { margin-block: .3rem; flex: none; }
.problem > button:first-of-type { margin-left: auto; }
.problem > .item:not([open]) ~ button { align-self: center; }
.says { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
[open] > .line .says { white-space: normal; }
.short { width: 9rem; flex: none; overflow: hidden; text-overflow: ellipsis; }
.number .cover { width: 14rem; flex: none; font-weight: 550; color: inherit; text-decoration: none; }
.number .cover::after { content: ""; position: absolute; inset: 0; }
.number > .soft { width: 12rem; flex: none; }
.number > small { flex: 1; }
.beside { position: relative; z-index: 1; font-size: .8rem; }
.bar { display: flex; gap: .5rem; flex-wrap: wrap; margin: 0 0 .8rem; }
.more .button { padding-inline: 0; }
.checks > .alert { margin: 0; border-radius: .75rem .75rem 0 0; }
[aria-pressed="true"] { background: var(--led); border-color: var(--link); }
article > .card:not(:last-child), .checks { margin-bottom: 1rem; }
.following { margin: 0 0 1rem; }
.change { padding: .6rem 1rem; }
.change .line { padding: 0; min-height: 1.6rem; }
.change .line:hover { background: none; }
.change .more { padding: 0; }
.lines .was { display: inline; font-size: inherit; }
.walk div { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: .75rem; padding: .3rem 0; border-top: 1px solid var(--line); }
.walk .expected { color: var(--bad); }
pre { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .9rem; margin: .4rem 0; padding: .5rem .8rem; background: var(--sunk); border-radius: .5rem; font: .8rem/1.6 ui-monospace, monospace; white-space: pre-wrap; }
.yaml { display: block; overflow-x: auto; white-space: pre; }
.minus { color: var(--bad); }
.plus { color: var(--good); }
mark { background: none; color: inherit; font-weight: 600; text-decoration: underline wavy var(--bad); text-underline-offset: .25em; }

.flow { padding: .7rem 1rem; }
.start { margin: 0; font-weight: 550; }
.start a { color: inherit; }
.steps { margin-left: .85rem; padding-left: .9rem; border-left: 1.5px solid var(--edge); }
.turn { display: flex; gap: .6rem; align-items: center; min-height: 2.3rem; padding: .15rem 0; }
.turn .cap { width: 1.5rem; height: 1.5rem; font-size: .75rem; border-radius: .4rem; }
.turn .for { flex: 0 1 13rem; color: var(--soft); }
.turn > .for:first-child { margin-left: 2.1rem; }
.turn .to { flex: 1; }
.turn .face { width: 1.4rem; height: 1.4rem; font-size: .6rem; }
.turn .who { display: flex; flex-wrap: wrap; gap: 0 .5rem; align-items: baseline; }

.form { margin: .15rem .3rem .5rem; border: 1px solid var(--link); border-radius: .65rem; background: var(--card); box-shadow: var(--pop); overflow: hidden; }
.fields { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); gap: .7rem; padding: .9rem .9rem .3rem; }
.fields.two { grid-template-columns: 1fr 1fr; }
.fields.two > :first-child:has(+ .wide) { grid-column: 1 / -1; }
.fields:is(:has(+ .refused, + .form-end, + .scope)) { padding-bottom: .9rem; }
.wide { grid-column: 1 / -1; }
.inset { padding: 0 .9rem; }
.form :is(label, .label) { display: block; font-size: .78rem; font-weight: 550; color: var(--soft); margin-bottom: .25rem; }
.form :is(input:not([type]), textarea, select) { width: 100%; min-height: 2.3rem; padding: .4rem .6rem; background: var(--ground); border: 1px solid var(--edge); border-radius: .5rem; font: inherit; color: inherit; }
.key-fields #key { text-align: center; font-weight: 650; }
.choose { padding: .6rem .9rem .9rem; }
.choose + .fields { padding-block: 0 .9rem; }
.chip { width: 100%; padding: .4rem .6rem; background: var(--ground); border-color: var(--edge); text-align: left; }
#choices { max-height: 15rem; overflow-y: auto; margin: .4rem -.5rem 0; position: relative; }
.choice-title { margin: 0; padding: .35rem .6rem .1rem; font-size: .78rem; font-weight: 550; color: var(--soft); }
.choice { padding: .35rem .6rem; border-radius: .5rem; cursor: pointer; }
.choice:hover, .choice[aria-selected="true"] { background: var(--led); }
.choice[aria-disabled="true"] { cursor: not-allowed; opacity: 1; }
.choice[aria-disabled="true"] > :is(.face, .who) { opacity: .75; }
.choice[aria-disabled="true"] > small { color: var(--bad); }
.scope { border: 0; border-top: 1px solid var(--line); margin: 0; padding: .7rem .9rem; background: var(--alike); min-width: 0; }
.scope legend { float: left; width: 100%; padding: 0; margin-bottom: .4rem; }
.form .scope label { clear: both; display: flex; gap: .6rem; padding: .25rem 0; margin: 0; font-size: inherit; font-weight: 400; color: var(--ink); }
.scope small { display: block; }
.refused, .form { scroll-margin-block: 1rem 6rem; }
.refused { margin: 0; padding: .6rem .9rem; background: var(--fault); color: var(--bad); }
.refused code { color: var(--ink); }
.conflict { color: var(--ink); }
.form-end { display: flex; gap: .5rem; align-items: center; padding: .6rem .9rem; border-top: 1px solid var(--line); background: var(--sunk); }
.gap { flex: 1; }
:is(button, .button):is(.main, .quiet, .plain) { font-weight: 550; padding: .3rem .8rem; min-height: 2rem; white-space: nowrap; border-radius: .5rem; text-decoration: none; }
button.main { background: var(--link); border-color: var(--link); color: var(--on-link); }
:is(button, .button).quiet { border-color: transparent; background: none; color: var(--soft); }
button.quiet.remove { color: var(--bad); padding-left: 0; }
button:disabled { opacity: .5; cursor: default; }
.form .check { display: flex; gap: .5rem; padding-block: .3rem .7rem; color: var(--ink); font-size: inherit; font-weight: 400; }

.review { position: sticky; bottom: .8rem; z-index: 2; width: 100%; max-width: 74rem; margin: 1rem auto 0; background: var(--card); border: 1px solid var(--edge); border-radius: .9rem; box-shadow: var(--pop); overflow: hidden; }
.review-bar { display: flex; gap: .5rem; align-items: center; padding: .5rem .6rem .5rem 1rem; }
.review-bar p { flex: 1; margin: 0; }
.review-bar p small { display: block; }
.review > .form { margin: 0; border: 0; box-shadow: none; }
.views { display: none; }

@media (max-width: 75rem) {
  .columns { grid-template-columns: minmax(0, 1fr) 16.5rem; gap: 1.1rem; }
  .row { grid-template-columns: 2rem minmax(0, 1fr) auto; row-gap: .1rem; }
  .row .cap { grid-row: 1 / 3; }
  .row .to { grid-column: 2; grid-row: 2; }
  .row .flags { grid-column: 3; grid-row: 1 / 3; }
  .row:not(:has(bdi:not(:empty))) .to { grid-row: 1 / 3; }
  .row.add .cap { grid-row: auto; }
}
@media (max-width: 46rem) {
  #page, .columns { display: block; }
  .content { display: block; min-height: 0; padding: .9rem .9rem 4.3rem; }
  .content:has(.review) { padding-bottom: 10.5rem; }
  .side { position: static; height: auto; border: 0; padding-bottom: 9rem; }
  .side:not(.chosen), .side.chosen ~ .content, .show-page .columns > .try, .show-call :is(.reading, .meta) { display: none; }
  nav li > a, .group { min-height: 2.75rem; }
  .try { position: static; max-height: none; }
  .key { height: 3.6rem; }
  .narrow { display: block; }
  .line { flex-wrap: wrap; gap: .1rem .6rem; }
  .number .cover, .number > .soft { width: auto; flex: 0 1 auto; min-width: 0; }
  .short { flex: 0 1 auto; }
  .number > small { flex: 1 0 100%; order: 1; }
  .row .who { display: flex; flex-wrap: wrap; gap: 0 .5rem; align-items: baseline; }
  .row .who .was { flex: 1 0 100%; }
  .row { padding-block: .2rem; }
  .row .face { width: 1.5rem; height: 1.5rem; font-size: .62rem; }
  .step { margin-bottom: .9rem; padding-top: .5rem; }
  .step:not(:last-child)::after { bottom: -.95rem; height: .9rem; }
  .say p { font-size: .9rem; line-height: 1.4; }
  .turn { flex-wrap: wrap; gap: .1rem .6rem; }
  .turn .to { flex: 1 0 100%; }
  .steps { margin-left: .3rem; padding-left: .7rem; }
  .short { width: auto; }
  .says { flex: 1 0 100%; order: 1; }
  .review { position: fixed; inset: auto .5rem 3.9rem; width: auto; }
  .review-bar { flex-wrap: wrap; }
  .review-bar p { flex: 1 0 100%; }
  .review-bar :is(button, .button) { flex: 1; text-align: center; }
  .refused, .form { scroll-margin-bottom: 8.5rem; }
  .content:has(main .form) .review-bar :is(button, .button) { display: none; }
  .fields.two { grid-template-columns: 1fr; }
  .views { display: flex; position: fixed; inset: auto 0 0; z-index: 2; gap: .3rem; padding: .3rem .5rem; background: var(--card); border-top: 1px solid var(--line); }
  .views button { flex: 1; min-height: 2.75rem; border: 0; background: none; color: var(--soft); font-weight: 550; }
  .views [aria-current] { background: var(--led); color: var(--link); }
}
@media (hover: none) and (pointer: coarse) { .hint { display: none; } }
@media (forced-colors: active) { .key.used { border-width: 3px; } }
@media print {
  :root { color-scheme: light; font-size: 9pt; }
  .side, .views, .review, .try, .checks, .bar, .play, .pen, .beside { display: none; }
  #page, .columns { display: block; }
  body { background: none; }
  .content { padding: 0; }
  .says { white-space: normal; }
  .step, .items > li { break-inside: avoid; }
}
`;
