import { pageLook } from "../views/page-style.ts";

export const pageStyle = `${pageLook}
header, main { max-width: 72rem; margin: 0 auto; padding: 1rem 1.25rem; }
header { padding-bottom: 0; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.2rem; margin: 1rem 0 0; scroll-margin-top: 1rem; }
h3 { font-size: 1.1rem; margin: 0; }
header p, section > p, .when, caption, dt { color: var(--soft); }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
nav a { padding: .25rem 0; }
article { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.25rem; margin: .75rem 0; }
.alike { background: var(--alike); color: var(--alike-ink); border-radius: .25rem; padding: .25rem .6rem; }
.keys { list-style: none; margin: .6rem 0; padding: 0; }
.keys li { padding: .15rem 0; }
dl { margin: .6rem 0; }
dl div { display: grid; grid-template-columns: 10rem 1fr; gap: 0 1rem; }
dd { margin: 0; }
.when { font-size: .875rem; margin-bottom: 0; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin: .75rem 0; }
table { border-collapse: collapse; width: 100%; min-width: 58rem; font-size: .9rem; }
caption { text-align: left; padding: .6rem .75rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem; border-top: 1px solid var(--line); }
th, td:first-child, td:nth-child(2), td:nth-child(4) { white-space: nowrap; }
td:nth-child(3) { min-width: 11rem; }
td:nth-child(6) { min-width: 10rem; }
.lost { color: var(--bad); font-weight: 600; }
@media (max-width: 36rem) { dl div { grid-template-columns: 1fr; } dd { margin-bottom: .35rem; } }
`;
