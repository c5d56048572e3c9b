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
body { font-size: .9rem; line-height: 1.45; }
#page { display: grid; grid-template-columns: 15.5rem minmax(0, 1fr); }
/* A name in a right-to-left script does not reorder the text around it. */
a, b, code, q, span, strong { unicode-bidi: isolate; }
h1, h2, h3, .brand { line-height: 1.25; margin: 0 0 .6rem; font-size: 1.1rem; }
.brand { font-weight: 700; }
h1 { font-size: 1.55rem; letter-spacing: -.02em; margin: 0; }
h2 { font-size: .8rem; font-weight: 600; color: var(--soft); margin: 0; display: flex; gap: .5rem; align-items: center; flex-wrap: wrap; }
h3 { margin-top: 1rem; font-size: .8rem; }
h1:focus { outline: none; }
ul { list-style: none; margin: 0; padding: 0; }
.about, .place, .heard code, caption, footer { color: var(--soft); font-size: .875rem; }
.error, .failed, .expected { color: var(--bad); font-weight: 600; }
.warning { color: var(--alike-ink); font-weight: 600; }
.passed { color: var(--good); font-weight: 600; }
.marks { display: inline-flex; flex-wrap: wrap; gap: 0 .75rem; font-size: .875rem; }
.mark { border-radius: .3rem; padding: 0 .4rem; font-size: .8rem; font-weight: 600; background: var(--alike); color: var(--alike-ink); border: 1px solid; }
.mark.new { background: var(--reached); color: var(--good); }
.mark:is(.removed, .deleted, .blocked, .error) { background: var(--fault); color: var(--bad); }
.unseen, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.side { position: sticky; top: 0; height: 100vh; display: flex; flex-direction: column; padding: 1.1rem .6rem 0; border-right: 1px solid var(--line); }
.side > header, .tabs, #menus :is(p, summary, li a) { padding: .25rem .65rem; }
.tabs { display: flex; gap: .8rem; font-weight: 600; white-space: nowrap; }
.tabs [aria-current] { color: inherit; text-decoration: none; }
nav { display: flex; flex-direction: column; flex: 1; min-height: 0; }
nav > :is(input, button) { margin: 0 .65rem .4rem; padding: .4rem .6rem; }
#menus { overflow-y: auto; flex: 1; }
summary { cursor: pointer; font-weight: 600; }
nav li a { display: block; border-radius: .4rem; color: inherit; text-decoration: none; outline-offset: -3px !important; }
nav li a[aria-current] { background: var(--led); box-shadow: inset 3px 0 var(--link); }
.line { display: flex; gap: .5rem; line-height: 1.25rem; }
.line > * { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; flex: none; max-width: 100%; }
.line > .name { flex: 0 1 auto; }
.line .marks > :is(.error, .failed, .mark) ~ :is(.failed, .warning), :is(.marks, .about):empty { display: none; }
/* A project with one menu has no list. */
#page:not(:has(nav)) { display: block; max-width: 77rem; margin: 0 auto; }
.side:not(:has(nav)) { position: static; height: auto; border: 0; padding: 1.1rem calc(clamp(1rem, 3vw, 2.5rem) - .65rem) 0; }

.content { display: flex; flex-direction: column; min-height: 100vh; padding: 1.5rem clamp(1rem, 3vw, 2.5rem) 1rem; }
section, .problems, .alert { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: .8rem 1.1rem; margin: 0 0 1.2rem; }
main { flex: 1; }
article > header, article > .about { margin-bottom: 1.1rem; }
.alert { background: var(--alike); color: var(--alike-ink); }
.problems { padding-block: .5rem; }

.keypad, .screens { display: grid; grid-template-columns: repeat(3, 1fr); gap: .4rem; margin-bottom: .4rem; }
.screens { grid-template-columns: minmax(0, 1fr); margin-top: .8rem; }
button { border-color: var(--line); padding: .2rem .7rem; }
button:hover, .led { border-color: var(--link); }
button[aria-disabled="true"] { cursor: default; opacity: .45; }
.call > h2 { margin-bottom: .6rem; }
.keypad button { position: relative; min-height: 2.5rem; font-size: .8rem; letter-spacing: -.01em; padding: .25rem; line-height: 1.2; overflow: hidden; }
.keypad .key { height: 3.2rem; }
.led { background: var(--card); border-color: var(--edge); }
.key .cap, .key .for, .start .about, .reached > *, .heard b, .why { display: block; }
.key .cap { font-size: 1.1rem; font-weight: 600; }
.key:not(.led) .cap { color: var(--soft); }
.key .for { font-size: .7rem; color: var(--soft); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.key-marks { position: absolute; top: .2rem; right: .2rem; display: grid; justify-items: end; }
.key-marks .mark { font-size: .7rem; padding: 0 .25rem; }
.key:has(.mark) .cap { text-align: left; margin-left: .4rem; }
.trail button { border: 0; padding: 0; background: none; color: var(--link); text-decoration: underline; }
.screen { background: var(--ground); border: 1px solid var(--line); border-radius: .5rem; padding: .7rem .9rem; min-height: 7rem; }
.screen.ended { background: var(--reached); color: inherit; }
.screen.failed { background: var(--fault); border-color: var(--bad); }
.now::first-letter { text-transform: uppercase; }
.ended .now { font-size: 1.2rem; line-height: 1.3; font-weight: 600; }
.walk div { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: .75rem; padding: .4rem 0; border-top: 1px solid var(--line); }
.walk div:not(.expected), .findings :is(p, pre) { color: var(--ink); font-weight: 400; }

.columns { display: grid; grid-template-columns: minmax(0, 1fr) 19rem; gap: 1.5rem; align-items: start; }
.columns > .call { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow-y: auto; }
.crumbs { color: var(--soft); font-size: .85rem; margin: 0; }
.crumbs a { color: inherit; text-decoration: none; }
.crumbs a:hover { text-decoration: underline; }
.meta { display: flex; gap: .3rem .8rem; align-items: center; flex-wrap: wrap; }
.pill { border-radius: 99px; padding: .05rem .55rem; font-size: .78rem; font-weight: 550; white-space: nowrap; }
.pill.ok { background: var(--reached); color: var(--good); }
.pill.bad { background: var(--fault); color: var(--bad); }

/* A menu reads downwards like a call. */
.step { padding: .7rem 0 .3rem; position: relative; margin-bottom: 1.4rem; }
.step:not(:last-child)::after { content: ""; position: absolute; left: 2rem; bottom: -1.45rem; height: 1.4rem; border-left: 1.5px solid var(--edge); }
.step > h2 { padding: 0 1rem .2rem; }
.from { margin-left: auto; font-size: .78rem; font-weight: 400; color: var(--soft); }
.say { display: flex; gap: .9rem; align-items: flex-start; padding: .3rem 1rem .8rem; }
.say p { flex: 1; margin: 0; font-size: 1.05rem; line-height: 1.5; text-wrap: pretty; }
.say q { quotes: none; }
.play { width: 1.9rem; height: 1.9rem; flex: none; border: 0; border-radius: 50%; padding: 0; font-size: .75rem; background: var(--led); color: var(--link); }
.warnings { border-top: 1px solid var(--line); padding: .5rem 1rem .3rem; color: var(--alike-ink); font-size: .85rem; }
.rows { padding: .2rem .3rem; }
.row { display: grid; grid-template-columns: 2rem minmax(0, 1fr) minmax(0, 1.15fr) 5.5rem; gap: .8rem; align-items: center; width: 100%; min-height: 2.9rem; padding: .4rem .7rem; border: 0; border-radius: .5rem; background: none; color: inherit; text-align: left; text-decoration: none; }
:is(button, a).row:hover, .row[aria-expanded="true"] { background: var(--sunk); }
.row .cap { width: 1.9rem; height: 1.9rem; display: grid; place-items: center; border: 1px solid var(--edge); border-bottom-width: 2.5px; border-radius: .5rem; background: var(--card); font-weight: 650; }
.row .cap.empty { border-style: dashed; border-bottom-width: 1px; color: var(--soft); }
.row.lit .cap { border-color: var(--link); color: var(--link); background: var(--led); }
.row.gone { text-decoration: line-through; color: var(--soft); }
.row .for { font-weight: 550; }
.row s, s.was { display: block; font-size: .8rem; font-weight: 400; color: var(--soft); }
.row.add { grid-template-columns: 2rem 1fr; color: var(--soft); }
.answers { border-top: 1px solid var(--line); margin: .2rem .7rem 0; padding: .5rem 0; font-size: .85rem; }
.answers > li { display: flex; flex-wrap: wrap; gap: 0 .6rem; color: var(--soft); }
.answers .heard { margin: 0; color: var(--ink); }
.to, .chip, .choice { display: flex; gap: .6rem; align-items: center; min-width: 0; }
.who { flex: 1; min-width: 0; }
.who b, .who small, .choice > small { display: block; font-weight: 550; line-height: 1.3; }
.who small, .choice > small { font-size: .8rem; font-weight: 400; color: var(--soft); }
.flags { display: flex; gap: .4rem; justify-content: flex-end; align-items: center; flex-wrap: wrap; }
.pen { color: var(--soft); font-size: .8rem; }
@media (hover: hover) { .row:not(:hover, :focus-visible, [aria-expanded="true"]) .pen { visibility: hidden; } }
.face { width: 1.75rem; height: 1.75rem; flex: none; display: grid; place-items: center; border-radius: 50%; font-size: .7rem; font-weight: 650; background: light-dark(oklch(.92 .05 var(--hue)), oklch(.34 .06 var(--hue))); color: light-dark(oklch(.38 .09 var(--hue)), oklch(.9 .06 var(--hue))); }
.face.menu { border-radius: .45rem; background: var(--led); color: var(--link); font-size: .9rem; }
.face.none { background: var(--sunk); color: var(--soft); }

.form { margin: .15rem .3rem .5rem; border: 1px solid var(--link); border-radius: .65rem; background: var(--card); box-shadow: var(--pop); overflow: hidden; }
.fields { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); gap: .7rem; padding: .9rem .9rem .3rem; }
.fields.two { grid-template-columns: 1fr 1fr; }
.fields.one { grid-template-columns: 1fr; }
.form :is(label, .label) { display: block; font-size: .8rem; font-weight: 550; color: var(--soft); margin-bottom: .25rem; }
.new-menu { padding: .5rem .65rem; }
.new-menu a { color: inherit; text-decoration: none; font-weight: 550; }
.form :is(input:not([type]), textarea, select) { width: 100%; min-height: 2.3rem; padding: .4rem .6rem; background: var(--ground); border: 1px solid var(--edge); border-radius: .5rem; font: inherit; color: inherit; }
.form .key-field { text-align: center; font-weight: 650; }
.choose { padding: .6rem .9rem .9rem; }
.chip { width: 100%; padding: .4rem .6rem; background: var(--ground); border-color: var(--edge); text-align: left; }
#choices { max-height: 15rem; overflow-y: auto; margin: .4rem -.5rem 0; position: relative; }
.choice-title { margin: 0; padding: .35rem .6rem .1rem; font-size: .78rem; font-weight: 550; color: var(--soft); }
.choice { padding: .35rem .6rem; border-radius: .5rem; cursor: pointer; }
.choice:hover, .choice[aria-selected="true"] { background: var(--led); }
.choice[aria-disabled="true"] { cursor: not-allowed; }
.choice[aria-disabled="true"] > :is(.face, .who) { opacity: .75; }
.choice[aria-disabled="true"] > small { color: var(--bad); }
.scope { border: 0; border-top: 1px solid var(--line); margin: 0; padding: .7rem .9rem; background: var(--alike); min-width: 0; }
.scope legend { float: left; width: 100%; padding: 0; margin-bottom: .4rem; }
.form .scope label { clear: both; display: flex; gap: .6rem; padding: .25rem 0; margin: 0; font-size: inherit; font-weight: 400; color: var(--ink); }
.scope small { display: block; color: var(--soft); }
.refused { margin: 0; padding: .6rem .9rem; background: var(--fault); color: var(--bad); }
.refused code { color: var(--ink); }
.form-end { display: flex; gap: .5rem; align-items: center; padding: .6rem .9rem; border-top: 1px solid var(--line); background: var(--sunk); }
.gap { flex: 1; }
button.main { background: var(--link); border-color: var(--link); color: var(--on-link); }
button.main, button.quiet { font-weight: 550; padding: .3rem .8rem; min-height: 2rem; white-space: nowrap; }
button.quiet { border-color: transparent; background: none; color: var(--soft); }
button.quiet.remove { color: var(--bad); padding-left: 0; }
button:disabled { opacity: .5; cursor: default; }
.inset { padding: 0 .9rem; }
.form .check { display: flex; gap: .5rem; padding-block: .3rem .7rem; color: var(--ink); font-size: inherit; font-weight: 400; }

.review { position: sticky; bottom: .8rem; z-index: 2; background: var(--card); border: 1px solid var(--edge); border-radius: .9rem; box-shadow: var(--pop); overflow: hidden; }
.review-bar { display: flex; gap: .5rem; align-items: center; padding: .55rem .65rem .55rem 1rem; }
.review-bar p { flex: 1; margin: 0; }
.review-list { max-height: 46vh; overflow-y: auto; border-bottom: 1px solid var(--line); }
.changed > li { padding: .6rem 1rem; border-top: 1px solid var(--line); }
.changed:first-child > li:first-child { border-top: 0; }
.failed-test { display: flex; gap: 1rem; align-items: center; justify-content: space-between; }
.failed-test button { flex: none; font-weight: 550; padding: .3rem .8rem; }
.yaml { display: block; overflow-x: auto; white-space: pre; font-size: .8rem; }
.minus { color: var(--bad); }
.plus { color: var(--good); }
.save-form { margin: 0; border: 0; box-shadow: none; }
.views { display: none; }

table { margin-bottom: 1rem; table-layout: fixed; }
caption { text-align: left; }
.heard code, header a { white-space: nowrap; }
th, td { padding: .45rem .75rem .45rem 0; font-weight: inherit; }
th { width: 40%; }
td p { margin: 0; }
.reached:not(.bad) span { color: var(--soft); }
@media screen { .printed { display: none; } }
/* The flow of the chosen number stays near. */
.starts { max-height: 33rem; overflow-y: auto; }
.starts li { display: grid; grid-template-columns: minmax(0, 1fr) auto; align-items: center; gap: .75rem; }
.starts a { padding: .3rem .8rem; border: 1px solid; border-radius: .4rem; text-decoration: none; font-weight: 600; }
.start { text-align: left; padding: .45rem .8rem; border-color: transparent; }
.start[aria-pressed="true"] { background: var(--led); border-color: var(--link); }
.entries > li { margin: .5rem 0; max-height: 15rem; overflow-y: auto; }
.reasons { list-style: disc; padding-left: 1.2rem; }
.findings > li > div { border-left: 4px solid; padding-left: .9rem; margin: .9rem 0; }
pre { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .9rem; margin: .4rem 0; padding: .5rem .8rem; background: var(--ground); border-radius: .4rem; font: .95rem ui-monospace, monospace; white-space: pre-wrap; }
.save pre { display: block; }
mark { background: none; color: inherit; font-weight: 600; text-decoration: underline wavy var(--bad); text-underline-offset: .25em; }

.flow { max-height: 85vh; overflow-y: auto; contain: content; }
/* Smaller text is hard to read. The picture scrolls sideways instead. */
.scroll svg { display: block; max-width: max(100%, 44rem); height: auto; }
@media screen { .scroll.flow svg { max-width: none; } }
.stale :is(.call, .picture, .sheet) { filter: grayscale(1); }
.ivrctl-picture .here > rect:first-child { stroke-width: 4px; }
.ivrctl-picture .taken > rect:first-child, .ivrctl-picture path.taken { stroke-width: 2.5px; }
.ivrctl-picture .taken:not(.blocked, .fault, .added, .changed, .removed) > rect:first-child { fill: var(--led); stroke: var(--link); }
.ivrctl-picture path.taken { stroke: var(--link); }
.ivrctl-picture path.head.taken { fill: var(--link); }

@media (max-width: 75rem) {
  .columns { grid-template-columns: minmax(0, 1fr) 16.5rem; gap: 1.1rem; }
  .row { grid-template-columns: 2rem minmax(0, 1fr) auto; row-gap: .1rem; }
  .row .cap { grid-row: 1 / 3; }
  .row .to { grid-column: 2; grid-row: 2; }
  .row .flags { grid-column: 3; grid-row: 1 / 3; }
  .row:not(:has(bdi:not(:empty))) .to { grid-row: 1 / 3; }
}
@media (max-width: 46rem) {
  .content { display: block; min-height: 0; }
  #page, .walk div, .columns { display: block; }
  .side { position: static; height: auto; border: 0; }
  .side:not(.chosen), .side.chosen ~ .content, .show-page .columns > .call, .show-call :is(.reading, .checks, .picture, .meta) { display: none; }
  .content { padding: .9rem .9rem 8rem; }
  .columns > .call { position: static; max-height: none; }
  .keypad .key { height: 3.75rem; }
  .review { position: fixed; inset: auto .5rem 3.9rem; }
  .review-bar { flex-wrap: wrap; }
  .review-bar p { flex: 1 0 100%; }
  .review-bar button { flex: 1; }
  .review .wide { display: none; }
  .failed-test { flex-direction: column; align-items: stretch; }
  .views { display: flex; position: fixed; inset: auto 0 0; z-index: 2; gap: .3rem; padding: .3rem .5rem; background: var(--card); border-top: 1px solid var(--line); }
  .views button { flex: 1; min-height: 2.75rem; border: 0; background: none; color: var(--soft); font-weight: 550; }
  .views [aria-current] { background: var(--led); color: var(--link); }
}
@media (hover: none) and (pointer: coarse) { .shortcuts { display: none; } }
@media (forced-colors: active) { .led { border-width: 3px; } }
@media print {
  :root { color-scheme: light; font-size: 9pt; }
  .side, .views, .review, footer, section:not(.sheet, .picture, .script) { display: none; }
  .columns { display: block; }
  #page { display: block; }
  body { background: none; }
  .content, section { padding: 0; border: 0; }
  .reached > * { display: inline; margin-right: .5em; }
  .scroll svg { max-width: 100%; max-height: 7cm; }
}
`;
