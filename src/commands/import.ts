import { readMenus } from "../compile/read-menus.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { readMenuFiles } from "../project/files.ts";
import { openConfiguration } from "../workspace/open-project.ts";
import { UsageError } from "../util/usage-error.ts";
import { type Context, command } from "../cli/command.ts";
import { approveFlags, lockFlags, requireTerminal } from "../cli/flags.ts";
import { importChanges } from "../operations/import-changes.ts";
import { importMenus } from "../operations/import-menus.ts";
import { importPayloads } from "../operations/import-payloads.ts";

const flags = {
  out: {
    value: "FILE",
    about: "Write the menu to this file (default: ivrs/SLUG.yaml, from its name); - prints it",
  },
  live: { about: "Import the service's menus that are not recorded yet, and record them" },
  "auto-approve": { ...approveFlags["auto-approve"], implies: "live" },
  "lock-timeout": { ...lockFlags["lock-timeout"], implies: "live" },
} as const;

export default command({
  arguments: {
    "[FILE]": "File with payloads or a curl command, or - for stdin",
    "[NAME..]":
      "With --live: ids or names of menus on the service; * matches any characters and ? matches one. Or keys of menus that someone changed on the console",
  },
  about:
    "Create menus from payloads or pasted curl commands.\n\nThe input is a payload as JSON, a list of payloads, an object { KEY: PAYLOAD }, or a curl command that contains a payload. The menus use agents' names, and aliases for recordings and SMS templates. `ivrctl compile` prints the same payloads again.\n\nimport does not run the curl command, does not store its token, and overwrites no file.\n\nWith --live, import reads the menus of a service that can list them, writes those that are not recorded yet, and records them with their ids. `ivrctl plan` then shows no change.\n\nWith --live and keys of menus in the project, import writes changes from the console into their files. It shows the changed lines and asks.",
  flags,
  examples: [
    ["ivrctl import payload.json", "write a menu under ivrs/, named after the payload"],
    [
      "ivrctl import request.sh --out ivrs/sales/india.yaml",
      "read a curl command, and choose the file",
    ],
    ["ivrctl compile | ivrctl import - --out -", "print the menus, and write no file"],
    ["ivrctl import --live front-desk", "write a change from the console into the file"],
    ["ivrctl import --live", "take over all menus of the service"],
    ["ivrctl import --live 'Sales*' --out -", "print some of them, and write and record nothing"],
  ],
  async run(context) {
    const { args, flags } = context;
    const { out } = flags;
    if (flags.live && areKeys(context)) {
      requireTerminal(context);
      return importChanges(context, { keys: args, isApproved: flags["auto-approve"] });
    }
    if (flags.live) {
      if (out !== undefined && out !== "-" && args.length !== 1) {
        throw new UsageError({
          words: "`--out FILE` works for one menu. Name the menu:",
          argv: ["import", "--live", "NAME", "--out", "FILE"],
        });
      }
      return importMenus(context, { names: args, out, lockTimeout: flags["lock-timeout"] });
    }
    const [named = "", extra] = args;
    if (named === "" || extra !== undefined) {
      const words = "Specify one file with payloads, or use --live. For details, run:";
      throw new UsageError({ words, argv: ["import", "--help"] });
    }
    if (named === "-" && context.terminal.interactive) {
      context.terminal.note("Paste a payload or a curl command, then press Ctrl-D.\n");
    }
    return importPayloads(context, named, out);
  },
});

/** Whether the user named menus of the project, and not menus that the service has. */
function areKeys(context: Context<typeof flags>): boolean {
  const { files } = openConfiguration(context);
  const { menus } = readMenuFiles(files, new Diagnostics(), { tests: false });
  const nodes = menus.flatMap((source) => readMenus(source, new Diagnostics()));
  const keys = new Set(nodes.map(({ key }) => key));
  const { args, flags } = context;
  return flags.out === undefined && args.length > 0 && args.every((name) => keys.has(name));
}
