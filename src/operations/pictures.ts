import { isDrawable, mermaid } from "../graph/mermaid.ts";
import { type FlowMenu, type Picture, flowPicture, menuPicture } from "../graph/picture.ts";
import { problemsWith } from "../call/callable-menu.ts";
import { reachableFrom } from "../compile/flow.ts";
import type { SourceMenu } from "../call/menu-source.ts";
import { menuFolder } from "../project/files.ts";
import { reportNoKey } from "../workspace/select-files.ts";
import { Patterns } from "../util/patterns.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { groupBy } from "../util/group-by.ts";
import type { Caller } from "./caller.ts";
import { openSource } from "./opened-source.ts";

interface AskedPictures {
  /** Menu keys or patterns. Default: all menus. */
  readonly keys: readonly string[];
  readonly from: string | undefined;
  readonly format: string;
  /** Whether each menu has a picture. Otherwise, several menus have only that of their flow. */
  readonly hasEach: boolean;
}

interface Drawn {
  readonly pictures: readonly DrawnPicture[];
  readonly diagnostics: readonly Diagnostic[];
}

interface DrawnPicture {
  readonly file: string;
  readonly text: string;
  /** Mermaid can be too large for GitHub and GitLab to draw. */
  readonly isDrawable: boolean;
}

/** Draws menus, and the flow between them if there are several. The flow comes first. */
export async function drawMenus(caller: Caller, asked: AskedPictures): Promise<Drawn> {
  const problems = new Diagnostics();
  const { menus, around, starts, diagnostics } = await choose(caller, asked, problems);
  const several = menus.length > 1;
  const flow = menus.some(({ key }) => key.toLowerCase() === "flow") ? "_flow" : "flow";
  const pictures = [
    ...(several ? [{ name: flow, picture: flowPicture(menus, around, starts) }] : []),
    ...(several && !asked.hasEach ? [] : menus).flatMap(({ key, call }) =>
      call ? { name: key, picture: menuPicture(call, around) } : [],
    ),
  ];
  const drawn = await draw(pictures, asked.format);
  return { pictures: drawn, diagnostics: [...diagnostics, ...problems.sorted()] };
}

/**
 * The menus that the user asked for, those that they link to, and the problems with them, the
 * configuration and the agents.
 */
async function choose(caller: Caller, { keys: named, from }: AskedPictures, problems: Diagnostics) {
  const project = await openSource(caller, { from, paths: [] });
  const targets = new Patterns(named);
  const keys = project.menus.flatMap(({ key }) => key ?? []);
  for (const target of targets.unmatched(keys)) {
    // An unreadable file has diagnostics, but no menu.
    const isUnreadable = project.diagnostics.some(({ file }) => file === fileOf(target));
    if (project.isRead && !isUnreadable) reportNoKey(target, keys, problems, project.keyHelp);
  }
  const { links, entries } = project.flow;
  const selected = keys.filter((key) => targets.has(key));
  const drawn = reachableFrom(selected, links);
  const chosen = project.menus.filter(({ key }) => key !== undefined && drawn.has(key));
  const files = [...named.map(fileOf), ...chosen.flatMap(({ file }) => file ?? [])];
  const { found: diagnostics, isUnsure } = problemsWith(
    targets.isNarrow ? new Set(files) : undefined,
    project.diagnostics,
  );
  // The flow of several menus begins with those that no other menu links to.
  const starts = !targets.isNarrow
    ? entries
    : selected.length === 1
      ? new Set(selected)
      : undefined;
  return {
    menus: isUnsure ? [] : distinct(chosen),
    around: project.flow,
    starts,
    diagnostics,
  };
}

function fileOf(key: string): string {
  return `${menuFolder}/${key}.yaml`;
}

/** The first menu of each key. Two menus with one key are reported as an error elsewhere. */
function distinct(menus: readonly SourceMenu[]): FlowMenu[] {
  const byKey = groupBy(menus, ({ key = "" }) => key.toLowerCase());
  return [...byKey.values()].flatMap(([menu]) =>
    menu?.key ? { key: menu.key, name: menu.name, call: menu.call } : [],
  );
}

async function draw(
  pictures: readonly { readonly name: string; readonly picture: Picture }[],
  format: string,
): Promise<DrawnPicture[]> {
  const { svg } = await import("../graph/svg.ts");
  return pictures.map(({ name, picture }) => {
    if (format === "svg") return { file: `${name}.svg`, text: svg(picture), isDrawable: true };
    const lines = mermaid(picture);
    const text = `${lines.join("\n")}\n`;
    return { file: `${name}.mermaid`, text, isDrawable: isDrawable(lines) };
  });
}
