import { pageLook } from "../util/page-style.ts";

export const previewStyle = `${pageLook}
:root { --led: light-dark(#e8f1fb, #1b2f45); --reached: light-dark(#e3f4e7, #163022); --fault: light-dark(#fdecea, #3a1d1a); }
#page { display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
/* A name in a right-to-left script does not reorder the text around it. */
a, b, code, q, span, strong { unicode-bidi: isolate; }
h1, h2, h3, h4 { line-height: 1.25; margin: 0 0 .6rem; font-size: 1.1rem; }
h2 { font-size: 1.75rem; margin: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
h4 { margin-top: 1rem; }
h2:focus { outline: none; }
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
.tabs { display: flex; gap: .9rem; font-size: .95rem; font-weight: 600; white-space: nowrap; }
.tabs [aria-current] { color: inherit; text-decoration: none; }
nav { display: flex; flex-direction: column; flex: 1; min-height: 0; }
nav > :is(input, button) { margin: 0 .65rem .4rem; padding: .4rem .6rem; }
.toggle { display: none; }
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

.content { padding: 1.5rem clamp(1rem, 3vw, 2.5rem) 1rem; }
/* The header has a fixed height, so that the keypad below it never moves. */
article > .about, article > header > .about { margin-bottom: 1rem; }
article:has(.on-map) > header { height: 4.6rem; overflow: hidden; }
section, .problems, .alert { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.25rem; margin: 0 0 1rem; }
.alert { background: var(--alike); color: var(--alike-ink); }
.problems { padding-block: .5rem; }

.call-parts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1.5rem; }
.keypad, .screens { display: grid; grid-template-columns: repeat(3, 1fr); gap: .5rem; margin-bottom: .5rem; }
.screens { grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); }
button { border-color: var(--line); padding: .2rem .7rem; }
button:hover, .led { border-color: var(--link); }
button[aria-disabled="true"] { cursor: default; opacity: .45; }
.keypad button { position: relative; min-height: 2.9rem; padding: .25rem; line-height: 1.2; overflow: hidden; }
.keypad .key { height: 4.4rem; }
.led { background: var(--led); }
.keypad small, .cap, .for, .start .about, .reached > *, .heard b, .why { display: block; }
.cap { font-size: 1.45rem; font-weight: 600; }
.key:not(.led) .cap { color: var(--soft); }
.for { font-size: .78rem; max-height: 2.4em; overflow: hidden; }
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
@media screen and (min-width: 80rem) {
  .on-map { display: grid; grid-template-columns: 22.5rem minmax(0, 1fr); gap: 1rem; align-items: start; }
  .on-map .call-parts { gap: .5rem; }
  .on-map .picture { position: sticky; top: 1rem; }
}

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

@media (max-width: 46rem) {
  #page, .walk div { display: block; }
  .side { position: static; height: auto; padding-bottom: .5rem; border: 0; border-bottom: 1px solid var(--line); }
  .toggle { display: block; }
  nav:not(.open) > #menus { display: none; }
  .content { padding-top: 1rem; }
  article:has(.on-map) > header { height: 6rem; }
}
@media (hover: none) and (pointer: coarse) { .shortcuts { display: none; } }
@media (forced-colors: active) { .led { border-width: 3px; } }
@media print {
  :root { color-scheme: light; font-size: 9pt; }
  .side, footer, section:not(.sheet, .picture, .script) { display: none; }
  #page { display: block; }
  body { background: none; }
  .content, section { padding: 0; border: 0; }
  .reached > * { display: inline; margin-right: .5em; }
  .scroll svg { max-width: 100%; max-height: 7cm; }
}
`;
