import { pageLook } from "../views/page-style.ts";

export const previewStyle = `${pageLook}
:root { --led: #e8f1fb; --led-line: #7aa7d6; --reached: #e3f4e7; --reached-line: #5aa06f; --fault: #fdecea; --shadow: 0 1px 2px rgb(0 0 0 / .08); }
@media screen and (prefers-color-scheme: dark) {
  :root { --led: #1b2f45; --led-line: #4b7fb5; --reached: #163022; --reached-line: #4c8f63; --fault: #3a1d1a; --shadow: none; }
}
html { scroll-padding-top: 1rem; }
#page { display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
h1, h2, h3, h4 { line-height: 1.25; margin: 0; text-wrap: balance; }
h1 { font-size: 1.05rem; }
/* The header has a fixed height, so that the keypad below it never moves. */
h2, .changes h3, article > header .about { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
h2 { font-size: 1.75rem; letter-spacing: -.01em; }
h2:focus { outline: none; }
h3 { font-size: 1.1rem; margin-bottom: .6rem; }
h4 { font-size: .95rem; margin-bottom: .4rem; color: var(--soft); font-weight: 600; }
.skip { position: absolute; left: 1rem; top: -4rem; background: var(--card); padding: .5rem 1rem; z-index: 2; }
.skip:focus { top: .5rem; }
.side { position: sticky; top: 0; height: 100vh; display: flex; flex-direction: column; border-right: 1px solid var(--line); }
.side header { padding: 1.1rem 1.25rem .6rem; }
/* A project with one menu has no list. */
#page:not(:has(.side nav)) { display: block; max-width: 77rem; margin: 0 auto; }
.side:not(:has(nav)) { position: static; height: auto; border: 0; }
.side:not(:has(nav)) header { padding: 1.1rem clamp(1rem, 3vw, 2.5rem) 0; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.live { margin: .15rem 0 0; font-size: .875rem; color: var(--good); }
.live::before { content: "● "; }
.live.away { color: var(--bad); }

.side nav { display: flex; flex-direction: column; flex: 1; min-height: 0; }
nav .home { margin: 0 .6rem .6rem; color: var(--link); text-decoration: underline; font-weight: 600; }
nav .home[aria-current] { color: inherit; text-decoration: none; }
nav .above { display: flex; align-items: center; justify-content: space-between; margin: .4rem 1.25rem; }
nav .toggle { display: none; padding: .3rem .8rem; color: var(--link); }
nav label { padding: 0 1.25rem; font-size: .875rem; color: var(--soft); }
nav input { margin: .2rem 1.25rem 0; padding: .4rem .6rem; }
nav .count { margin: 0; font-size: .875rem; color: var(--soft); }
#menus { padding: 0 .6rem 1rem; overflow-y: auto; flex: 1; }
.side ul { list-style: none; margin: 0; padding: 0; }
.group-title { margin: .6rem .65rem .15rem; font-size: .8rem; font-weight: 600; color: var(--soft); }
.group:first-child .group-title { margin-top: 0; }
nav li { content-visibility: auto; contain-intrinsic-size: auto 3.4rem; }
nav a { display: block; padding: .35rem .65rem; border-radius: .4rem; color: inherit; text-decoration: none; outline-offset: -3px !important; }
nav a:hover { background: var(--card); }
nav a[aria-current] { background: var(--led); box-shadow: inset 3px 0 var(--link); }
nav a .name { font-weight: 600; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
nav a .about { display: block; font-size: .85rem; }
nav a .marks { display: flex; font-size: .85rem; margin-top: .1rem; }
.marks { display: inline-flex; flex-wrap: wrap; align-items: baseline; gap: 0 .75rem; }
.mark { display: inline-block; border-radius: .3rem; padding: 0 .4rem; font-size: .8rem; font-weight: 600; background: var(--alike); color: var(--alike-ink); border: 1px solid currentcolor; }
.mark.new { background: var(--reached); color: var(--good); }
.mark.removed, .mark.deleted, .mark.fault { background: var(--fault); color: var(--bad); }
article > header .marks { margin-right: .6rem; flex-wrap: nowrap; }
.about { color: var(--soft); }
noscript { display: block; max-width: 60rem; padding: 1rem 1.25rem; }
.warned { color: var(--alike-ink); font-weight: 600; }

.content { min-height: 100vh; padding: 1.5rem clamp(1rem, 3vw, 2.5rem) 1rem; }
.content > * { max-width: 72rem; }
article > header { margin-bottom: 1rem; }
article > header p { margin: .25rem 0 0; min-height: 1.6rem; }
article > header .counts { white-space: normal; }
.description { margin: 0 0 1rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.25rem; margin: 0 0 1rem; }

.call-parts { display: grid; grid-template-columns: minmax(0, 21rem) minmax(0, 1fr); gap: 1.5rem; }
.screen { background: var(--ground); border: 1px solid var(--line); border-radius: .5rem; padding: .7rem .9rem; min-height: 7rem; }
.screen.ended { background: var(--reached); border-color: var(--reached-line); }
.screen.failed { background: var(--fault); border-color: var(--bad); }
.screens { display: grid; grid-auto-columns: minmax(0, 1fr); grid-auto-flow: column; gap: .5rem; }
.screen .side-title { font-weight: 600; margin: 0; }
.screen p { margin: 0 0 .4rem; }
.now { font-size: .875rem; color: var(--soft); }
.now::first-letter { text-transform: uppercase; }
.ended .now { font-size: 1.35rem; line-height: 1.3; font-weight: 600; color: inherit; }
.screen .reached strong { display: none; }
.screen .heard { font-size: 1.05rem; }
.heard code { color: var(--soft); white-space: nowrap; }
.reached { margin: 0; }
.reached strong, .reached span { display: block; }
.reached span { font-size: .9rem; color: var(--soft); }
.reached.bad, .reached.bad span { color: var(--bad); }
.keypad { display: grid; grid-template-columns: repeat(3, 1fr); gap: .5rem; margin: 0 0 .5rem; }
.keypad.extra { margin-top: .5rem; }
button { border-color: var(--line); border-radius: .5rem; }
.key { position: relative; height: 4.4rem; padding: .25rem; display: flex; flex-direction: column; align-items: center; justify-content: center; box-shadow: var(--shadow); overflow: hidden; }
.key .cap { font-size: 1.45rem; line-height: 1.15; font-weight: 600; font-variant-numeric: tabular-nums; color: var(--soft); }
.key.led { background: var(--led); border-color: var(--led-line); }
.key.led .cap { color: var(--ink); }
.key .for { font-size: .78rem; line-height: 1.2; max-width: 100%; overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
.key:has(.mark) > .cap { align-self: flex-start; margin-left: .5rem; }
.key-marks { position: absolute; top: .25rem; right: .25rem; display: grid; gap: .1rem; justify-items: end; }
.key .mark { font-size: .7rem; line-height: 1.2; padding: 0 .25rem; }
.key.differs { border: 2px solid var(--alike-ink); }
.keypad.extra .cap { font-size: 1rem; }
.acts { display: grid; grid-template-columns: repeat(3, 1fr); gap: .5rem; }
.act { min-height: 2.75rem; padding: .3rem; box-shadow: var(--shadow); }
.act small { display: block; color: var(--soft); line-height: 1.1; }
button:hover { border-color: var(--link); }
button:active { border-color: var(--link); box-shadow: inset 0 0 0 1px var(--link); }
button[aria-disabled="true"] { cursor: default; opacity: .45; box-shadow: none; }
.hear { margin-top: .5rem; padding: .2rem .8rem; }
.call h4 { margin-top: 1rem; }

.walk { list-style: none; margin: 0; padding: 0; }
.walk li { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: .75rem; padding: .4rem 0; border-top: 1px solid var(--line); }
.walk li:first-child { border-top: 0; }
.walk .what { font-weight: 600; }
.walk .expected { color: var(--bad); }

table { margin-bottom: 1rem; table-layout: fixed; }
table:last-child { margin-bottom: 0; }
th, td { padding: .45rem .75rem .45rem 0; font-weight: inherit; }
thead th { font-size: .85rem; color: var(--soft); border-top: 0; }
thead th:first-child { width: 40%; }
td p { margin: 0; }
@media screen { tr.printed { display: none; } }
.trigger { display: inline-flex; gap: .6rem; align-items: baseline; margin-right: .4rem; overflow-wrap: break-word; }

/* Smaller text is hard to read. The picture scrolls sideways instead. */
.scroll svg { display: block; max-width: max(100%, 44rem); height: auto; }
.ivrctl-picture .taken > rect:first-child { stroke-width: 2.5px; }
.ivrctl-picture .taken:not(.blocked, .fault) > rect:first-child { stroke: var(--link); }
.ivrctl-picture path.taken { stroke: var(--link); stroke-width: 2.5px; }
.ivrctl-picture path.head.taken { fill: var(--link); stroke: none; }

.problems, .results, .entries { list-style: none; margin: 0; padding: 0; }
.problems li { border-left: 4px solid var(--line); padding: .1rem 0 .1rem .9rem; margin: .9rem 0; }
.problems li.error { border-color: var(--bad); }
.problems li.error strong { color: var(--bad); }
.problems li.warning strong { color: var(--alike-ink); }
.problems li.warning { border-color: var(--alike-ink); }
.problems pre { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .9rem; margin: .4rem 0; padding: .5rem .8rem; background: var(--ground); border-radius: .4rem; font: .875rem/1.6 ui-monospace, monospace; white-space: pre-wrap; }
.problems pre code { font-size: inherit; }
.problems pre .line { color: var(--soft); }
.problems mark { background: none; color: inherit; font-weight: 600; text-decoration: underline wavy var(--alike-ink); text-underline-offset: .25em; }
.problems .error mark { text-decoration-color: var(--bad); }
.place { color: var(--soft); font-size: .875rem; }
.note { margin: 0 0 1rem; padding: .5rem .9rem; border: 1px solid currentcolor; border-radius: .4rem; background: var(--alike); color: var(--alike-ink); }
.results > li { padding: .5rem 0; border-top: 1px solid var(--line); }
.result { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .9rem; }
.result .called { flex: 1 1 14rem; }
.result button { padding: .15rem .7rem; }
.results .walk { margin: .5rem 0 .5rem 1rem; font-size: .93rem; }

.entries li { padding: .25rem 0; }
.entries .marks { margin: 0 .4rem; }
.reasons { margin: .15rem 0 .4rem; padding-left: 1.2rem; font-size: .93rem; }

footer { color: var(--soft); font-size: .875rem; padding: .5rem 0 1rem; }
.shortcuts { display: flex; flex-wrap: wrap; gap: .3rem .9rem; align-items: center; }

@media (max-width: 60rem) {
  .call-parts { grid-template-columns: minmax(0, 1fr); }
  .phone { max-width: 24rem; }
}
@media (max-width: 46rem) {
  #page { display: block; }
  .side { position: static; height: auto; padding-bottom: .5rem; border: 0; }
  .side header { padding: .8rem 1rem .2rem; }
  nav input, nav .above { margin-left: 1rem; margin-right: 1rem; }
  nav .home { position: absolute; top: .55rem; right: .35rem; margin: 0; }
  nav label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  #menus { padding: 0 .35rem; max-height: 45vh; }
  nav a .name { color: var(--link); }
  .content { min-height: 0; border-top: 1px solid var(--line); padding-top: 1rem; }
  nav .toggle { display: block; }
  nav:not(.open) > #menus, nav .home[aria-current] { display: none; }
  h2 { font-size: 1.5rem; }
  article > header .about { white-space: normal; height: 3.2rem; }
  article > header .counts { height: auto; }
  article > header .marks { flex-wrap: wrap; }
  .screens { grid-auto-flow: row; }
  section { padding: .8rem 1rem; }
  .key { height: 4.2rem; }
  .phone { max-width: none; }
  .walk li { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .trigger { display: inline; }
}
@media (hover: none) and (pointer: coarse) { .shortcuts { display: none; } }
@media (forced-colors: active) { .key.led { border-width: 3px; } }
@media print {
  :root { color-scheme: light; font-size: 9pt; }
  body { background: none; }
  #page { display: block; }
  h2, article > header .about { white-space: normal; }
  .side, footer, .skip, section:is(.changes, .call, .menu-problems, .tests) { display: none; }
  .content { padding: 0; min-height: 0; }
  section { border: 0; padding: 0; margin: 0 0 .8rem; }
  tr, .picture { break-inside: avoid; }
  td, th { padding-top: .25rem; padding-bottom: .25rem; }
  .reached span { display: inline; margin-left: .5em; }
  .reached strong { display: inline; }
  .scroll svg { max-width: 100%; max-height: 7cm; }
  table, p, h3 { margin-bottom: .4rem; }
}
`;
