import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isDrawable, mermaid } from "../graph/mermaid.ts";
import { type FlowMenu, type Picture, flowPicture, menuPicture } from "../graph/picture.ts";
import { aroundIn, problemsWith } from "../call/menu.ts";
import type { Around } from "../call/model.ts";
import { menuFlow, reachableFrom } from "../compile/flow.ts";
import type { ResolvedMenu } from "../compile/menu.ts";
import { menuFolder } from "../project/files.ts";
import { reportNoKey } from "../project/menu-names.ts";
import { Patterns } from "../deploy/plan/targets.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { visible } from "../util/visible.ts";
import { listed, many } from "../util/many.ts";
import { type Context, command } from "../cli/command.ts";
import { UsageError } from "../util/usage-error.ts";
import { isStdout, replaceFile } from "../util/replace-file.ts";
import { attemptWrite } from "../project/write-file.ts";
import { loadProject } from "../compile/load-project.ts";

const flags = {
  out: {
    type: "string",
    value: "DIR",
    about: "Write a picture of each menu, and the flow, to files in this folder",
  },
} as const;

export default command({
  takes: "[KEY..]",
  arguments: {
    KEY: "Menu keys or paths (default: all); * matches any characters, including /, and ? matches one",
  },
  about:
    "Draw menus as Mermaid or SVG.\n\nThe picture of one menu shows its keys, the agents that callers reach, and what happens after a wrong key or silence. If keys go to other menus, graph draws the flow: all menus and the paths between them.",
  flags,
  formats: ["mermaid", "svg"],
  examples: [
    ["ivrctl graph front-desk", "print Mermaid, for Markdown"],
    ["ivrctl graph --format svg > menus.svg", "draw all menus and the paths between them"],
    ["ivrctl graph --format svg --out pictures", "write a file for each menu, and the flow"],
  ],
  async run(context) {
    const { out } = context.flags;
    if (out !== undefined && (out === "" || isStdout(out))) {
      throw new UsageError("`--out` must be a folder. Remove it to print the picture.");
    }
    if (out !== undefined && /\.(?:svg|mmd|mermaid)$/i.test(out)) {
      throw new UsageError(
        "`--out` must be a folder, not a file. To write one picture to a file, remove `--out`, and add `> FILE` to the command.",
      );
    }
    const found = new Diagnostics();
    const { menus, around, starts, diagnostics } = await choose(context, found);
    const pen = await penOf(context.format);
    const several = menus.length > 1;
    const whole = several ? [pen(flowName(menus), flowPicture(menus, around, starts))] : [];
    const each = out === undefined && several ? [] : pictures(menus, around, pen);
    const drawn = [...whole, ...each];
    const written = out === undefined ? [] : write(context.root, out, drawn, found);
    const shown = [...diagnostics, ...found.sorted()];
    if (out !== undefined) {
      const names = visible(
        listed(
          written.map(({ file }) => file),
          mostNamed,
        ),
      );
      const count = many(written.length, "picture");
      const large = written.flatMap(({ file, drawable }) =>
        drawable ? [] : `${visible(file)}: ${tooLarge}`,
      );
      return {
        diagnostics: shown,
        notes: ({ path }) =>
          written.length === 0
            ? ""
            : `Wrote ${count} to ${visible(path(out))}: ${names}.\n${large.join("")}`,
      };
    }
    const [picture] = drawn;
    return {
      diagnostics: shown,
      ...(picture && {
        formats: { [context.format]: () => picture.text },
        notes: picture.drawable ? "" : tooLarge,
      }),
    };
  },
});

const mostNamed = 12;
const tooLarge = "GitHub and GitLab do not draw Mermaid of this size. Use --format svg.\n";

/**
 * The menus that the user asked for, those that they link to, and the problems with them, the
 * configuration and the agents.
 */
async function choose(context: Context<typeof flags>, found: Diagnostics) {
  const project = await loadProject(context, {
    paths: [],
    agentsRequired: true,
    advice: "none",
  });
  const targets = new Patterns(context.args);
  const keys = project.menus.flatMap(({ key }) => key ?? []);
  for (const target of targets.unmatched(keys)) {
    // An unreadable file has diagnostics, but no menu.
    const isUnreadable = project.diagnostics.some(({ file }) => file === fileOf(target));
    if (!isUnreadable) reportNoKey(target, keys, found);
  }
  const { links, entries } = menuFlow(project.menus);
  const named = keys.filter((key) => targets.has(key));
  const shown = reachableFrom(named, links);
  const chosen = project.menus.filter(({ key }) => key !== undefined && shown.has(key));
  const files = [...context.args.map(fileOf), ...chosen.map(({ source }) => source.file)];
  const { found: diagnostics, isUnsure } = problemsWith(
    targets.isNarrow ? new Set(files) : undefined,
    project,
  );
  // The flow of several menus begins with those that no other menu links to.
  const starts = !targets.isNarrow ? entries : named.length === 1 ? new Set(named) : undefined;
  return {
    menus: isUnsure ? [] : distinct(chosen),
    around: aroundIn(project),
    starts,
    diagnostics,
  };
}

function fileOf(key: string): string {
  return `${menuFolder}/${key}.yaml`;
}

/** The first menu of each key. Two menus with one key are reported as an error elsewhere. */
function distinct(menus: readonly ResolvedMenu[]): FlowMenu[] {
  const byKey = new Map<string, FlowMenu>();
  for (const { key, name, call } of menus) {
    if (key === undefined || byKey.has(key.toLowerCase())) continue;
    byKey.set(key.toLowerCase(), { key, name: name?.value, call });
  }
  return [...byKey.values()];
}

interface DrawnFile {
  /** Its path in the folder, with `/`. */
  readonly file: string;
  readonly text: string;
  /** False if a Mermaid picture is too large for GitHub and GitLab. */
  readonly drawable: boolean;
}

type Pen = (name: string, picture: Picture) => DrawnFile;

async function penOf(format: string): Promise<Pen> {
  if (format === "svg") {
    const { svg } = await import("../graph/svg.ts");
    return (name, picture) => ({ file: `${name}.svg`, text: svg(picture), drawable: true });
  }
  return (name, picture) => {
    const drawn = mermaid(picture);
    return {
      file: `${name}.mermaid`,
      text: `${drawn.join("\n")}\n`,
      drawable: isDrawable(drawn),
    };
  };
}

/** The pictures of the menus that can be drawn. */
function pictures(menus: readonly FlowMenu[], around: Around, pen: Pen): DrawnFile[] {
  return menus.flatMap(({ key, call }) => (call ? pen(key, menuPicture(call, around)) : []));
}

/** Returns a name for the flow that no menu has. */
function flowName(menus: readonly FlowMenu[]): string {
  const taken = new Set(menus.map(({ key }) => key.toLowerCase()));
  let name = "flow";
  while (taken.has(name)) name = `_${name}`;
  return name;
}

/** Writes the pictures, and returns those that were written. They stay inside the folder, because keys have no `..`. */
function write(
  root: string,
  folder: string,
  drawn: readonly DrawnFile[],
  found: Diagnostics,
): DrawnFile[] {
  const absolute = resolve(root, folder);
  const make = () => mkdirSync(absolute, { recursive: true });
  if (!attemptWrite(folder, found, make)) return [];
  return drawn.filter(({ file, text }) =>
    attemptWrite(join(folder, file), found, () => {
      const path = join(absolute, file);
      mkdirSync(dirname(path), { recursive: true });
      replaceFile(path, text);
    }),
  );
}
