import { sourceFlags } from "../cli/flags.ts";
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isDrawable, mermaid } from "../graph/mermaid.ts";
import { type FlowMenu, type Picture, flowPicture, menuPicture } from "../graph/picture.ts";
import { problemsWith } from "../call/callable-menu.ts";
import { reachableFrom } from "../compile/flow.ts";
import type { SourceMenu } from "../call/menu-source.ts";
import { menuFolder } from "../project/files.ts";
import { reportNoKey } from "../workspace/select-files.ts";
import { Patterns } from "../util/patterns.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { visible } from "../util/visible.ts";
import { listed, many } from "../util/many.ts";
import { type Context, command } from "../cli/command.ts";
import { openSource } from "../operations/source.ts";
import { UsageError } from "../util/usage-error.ts";
import { replaceFile } from "../util/replace-file.ts";
import { groupBy } from "../util/group-by.ts";
import { attemptWrite } from "../project/write-file.ts";

const flags = {
  ...sourceFlags,
  out: {
    value: "DIR",
    about: "Write a picture of each menu, and the flow, to files in this folder",
  },
} as const;

export default command({
  arguments: {
    "[KEY..]":
      "Menu keys or paths (default: all); * matches any characters, including /, and ? matches one",
  },
  about:
    "Draw menus as Mermaid or SVG.\n\nThe picture of one menu shows its keys, the agents that callers reach, and what happens after a wrong key or silence. If keys go to other menus, graph draws the flow: all menus and the paths between them.",
  flags,
  formats: ["mermaid", "svg"],
  examples: [
    ["ivrctl graph front-desk", "print Mermaid, for Markdown"],
    ["ivrctl graph --format svg > menus.svg", "draw all menus and the paths between them"],
    ["ivrctl graph --from live --format svg > live.svg", "what is on the service now"],
    ["ivrctl graph --format svg --out pictures", "write a file for each menu, and the flow"],
  ],
  async run(context) {
    const { root, format, flags } = context;
    const { out } = flags;
    if (out !== undefined && /^-?$|\.(?:svg|mmd|mermaid)$/i.test(out)) {
      throw new UsageError(
        "`--out` must be a folder. To write one picture to a file, remove `--out`, and add `> FILE` to the command.",
      );
    }
    const found = new Diagnostics();
    const { menus, around, starts, diagnostics } = await choose(context, found);
    const several = menus.length > 1;
    const flow = menus.some(({ key }) => key.toLowerCase() === "flow") ? "_flow" : "flow";
    const pictures = [
      ...(several ? [{ name: flow, picture: flowPicture(menus, around, starts) }] : []),
      ...(several && out === undefined ? [] : menus).flatMap(({ key, call }) =>
        call ? { name: key, picture: menuPicture(call, around) } : [],
      ),
    ];
    const drawn = await draw(pictures, format);
    const tooLarge = drawn.every(({ isDrawable: fits }) => fits)
      ? ""
      : "GitHub and GitLab do not draw Mermaid of this size. Use --format svg.\n";
    const show = () => drawn[0]?.text ?? "";
    if (out === undefined) {
      return {
        diagnostics: [...diagnostics, ...found.sorted()],
        formats: { mermaid: show, svg: show },
        notes: tooLarge,
      };
    }
    const make = () => mkdirSync(resolve(root, out), { recursive: true });
    const isMade = attemptWrite(out, found, make);
    // Pictures stay inside the folder, because keys have no `..`.
    const written = (isMade ? drawn : []).filter(({ file, text }) =>
      attemptWrite(join(out, file), found, () => {
        const path = resolve(root, out, file);
        mkdirSync(dirname(path), { recursive: true });
        replaceFile(path, text);
      }),
    );
    const names = written.map(({ file }) => file);
    const words = `${many(names.length, "picture")} to ${visible(context.terminal.path(out))}`;
    const nothing = () => "";
    return {
      diagnostics: [...diagnostics, ...found.sorted()],
      formats: { mermaid: nothing, svg: nothing },
      notes:
        names.length === 0 ? "" : `Wrote ${words}: ${visible(listed(names, 12))}.\n${tooLarge}`,
    };
  },
});

/**
 * The menus that the user asked for, those that they link to, and the problems with them, the
 * configuration and the agents.
 */
async function choose(context: Context<typeof flags>, found: Diagnostics) {
  const project = await openSource(context, { from: context.flags.from, paths: [] });
  const targets = new Patterns(context.args);
  const keys = project.menus.flatMap(({ key }) => key ?? []);
  for (const target of targets.unmatched(keys)) {
    // An unreadable file has diagnostics, but no menu.
    const isUnreadable = project.diagnostics.some(({ file }) => file === fileOf(target));
    if (project.isRead && !isUnreadable) reportNoKey(target, keys, found, project.keyHelp);
  }
  const { links, entries } = project.flow;
  const named = keys.filter((key) => targets.has(key));
  const shown = reachableFrom(named, links);
  const chosen = project.menus.filter(({ key }) => key !== undefined && shown.has(key));
  const files = [...context.args.map(fileOf), ...chosen.flatMap(({ file }) => file ?? [])];
  const { found: diagnostics, isUnsure } = problemsWith(
    targets.isNarrow ? new Set(files) : undefined,
    project.diagnostics,
  );
  // The flow of several menus begins with those that no other menu links to.
  const starts = !targets.isNarrow ? entries : named.length === 1 ? new Set(named) : undefined;
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

/** The file of each picture. Mermaid can be too large for GitHub and GitLab to draw. */
async function draw(
  pictures: readonly { readonly name: string; readonly picture: Picture }[],
  format: string,
) {
  const { svg } = await import("../graph/svg.ts");
  return pictures.map(({ name, picture }) => {
    if (format === "svg") return { file: `${name}.svg`, text: svg(picture), isDrawable: true };
    const lines = mermaid(picture);
    const text = `${lines.join("\n")}\n`;
    return { file: `${name}.mermaid`, text, isDrawable: isDrawable(lines) };
  });
}
