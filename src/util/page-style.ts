/** The style that all pages of ivrctl share: colors, fonts, keys, fields, buttons and tables. */
export const pageLook = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --ink: #1b1f24; --soft: #535b66; --line: #d5dae1;
  --link: #0b57a4; --good: #17662f; --bad: #a3261b; --alike: #fff3d1; --alike-ink: #5c3d00;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #14171b; --card: #1d2126; --ink: #e7eaee; --soft: #a7b0bb; --line: #363d46;
    --link: #86bdf5; --good: #7fd497; --bad: #ff9c91; --alike: #3d3010; --alike-ink: #ffdf94;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
p { margin: .35rem 0; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
code, kbd { font-family: ui-monospace, monospace; font-size: .9em; }
kbd { display: inline-block; min-width: 2em; padding: 0 .4em; text-align: center; border: 1px solid var(--line); border-radius: .3rem; background: var(--ground); font-weight: 600; }
::placeholder { color: var(--soft); opacity: 1; }
input, button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--soft); border-radius: .4rem; }
input { min-width: 0; }
button { cursor: pointer; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
`;
