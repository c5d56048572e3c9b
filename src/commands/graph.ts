import { sourceFlags } from "../cli/flags.ts";
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { visible } from "../util/visible.ts";
import { listed, many } from "../util/many.ts";
import { command } from "../cli/command.ts";
import { drawMenus } from "../operations/pictures.ts";
import { UsageError } from "../util/usage-error.ts";
import { replaceFile } from "../util/replace-file.ts";
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
    const { from } = flags;
    const asked = { keys: context.args, from, format, hasEach: out !== undefined };
    const { pictures, diagnostics } = await drawMenus(context, asked);
    const tooLarge = pictures.every(({ isDrawable: fits }) => fits)
      ? ""
      : "GitHub and GitLab do not draw Mermaid of this size. Use --format svg.\n";
    const show = () => pictures[0]?.text ?? "";
    if (out === undefined) {
      return {
        diagnostics,
        formats: { mermaid: show, svg: show },
        notes: tooLarge,
      };
    }
    const problems = new Diagnostics();
    const make = () => mkdirSync(resolve(root, out), { recursive: true });
    const isMade = attemptWrite(out, problems, make);
    // Pictures stay inside the folder, because keys have no `..`.
    const written = (isMade ? pictures : []).filter(({ file, text }) =>
      attemptWrite(join(out, file), problems, () => {
        const path = resolve(root, out, file);
        mkdirSync(dirname(path), { recursive: true });
        replaceFile(path, text);
      }),
    );
    const names = written.map(({ file }) => file);
    const words = `${many(names.length, "picture")} to ${visible(context.terminal.path(out))}`;
    const nothing = () => "";
    return {
      diagnostics: [...diagnostics, ...problems.sorted()],
      formats: { mermaid: nothing, svg: nothing },
      notes:
        names.length === 0 ? "" : `Wrote ${words}: ${visible(listed(names, 12))}.\n${tooLarge}`,
    };
  },
});
