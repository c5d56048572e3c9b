import { markInk, marks, palette } from "./picture.ts";
import { fontSizes } from "./shapes.ts";

const marked = marks.map((mark) => {
  const { fill, stroke, line } = palette[mark];
  return `.ivrctl-picture .${mark}>rect{fill:${fill};stroke:${stroke};${line}}
.ivrctl-picture .${mark}>text{fill:${markInk}}`;
});

/**
 * The same for every picture, so that any number of them may stand on one page;
 * nothing outside of pictures is touched.
 */
export const pictureStyle = `
.ivrctl-picture{font-family:system-ui,sans-serif;--ground:#fff;--ink:#1f2328;--soft:#59636e;--edge:#818b98;--box:#f6f8fa;--menu:#ddf4ff;--strong:#0969da}
@media (prefers-color-scheme:dark){.ivrctl-picture{--ground:#0d1117;--ink:#e6edf3;--soft:#a6afba;--edge:#7d8590;--box:#1c2128;--menu:#12294a;--strong:#58a6ff}}
.ivrctl-picture .ground{fill:var(--ground)}
.ivrctl-picture text{fill:var(--ink);font-size:${fontSizes.line}px}
.ivrctl-picture .name{font-size:${fontSizes.name}px;font-weight:600}
.ivrctl-picture .line{fill:var(--soft)}
.ivrctl-picture .way .line,.ivrctl-picture .else .line{fill:var(--ink)}
.ivrctl-picture .menu>rect{fill:var(--menu);stroke:var(--strong);stroke-width:1.5px}
.ivrctl-picture .place>rect{fill:var(--box);stroke:var(--edge)}
.ivrctl-picture .way>rect,.ivrctl-picture .else>rect{fill:var(--ground);stroke:var(--edge)}
.ivrctl-picture .else>rect{stroke-dasharray:4 3}
.ivrctl-picture .way>.cap{fill:var(--box)}
.ivrctl-picture .key{font-family:ui-monospace,monospace;font-weight:600;text-anchor:middle}
.ivrctl-picture path{fill:none;stroke:var(--edge);stroke-width:1.25px}
.ivrctl-picture .head{fill:var(--edge);stroke:none}
.ivrctl-picture g:hover>path{stroke:var(--strong);stroke-width:2px}
.ivrctl-picture g:hover>.head{fill:var(--strong);stroke:none}
${marked.join("\n")}
`;
