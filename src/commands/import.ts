import { type ImportedPayload, importedMenu, readInput, readPayloads } from "../import/payloads.ts";
import { readMenuFiles } from "../project/files.ts";
import { compileMenus } from "../workspace/compile-project.ts";
import { FolderDefaults } from "../compile/folder-defaults.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type WrittenMenu, importedResult } from "../views/import-result.ts";
import { type Context, command } from "../cli/command.ts";
import { approveFlags, lockFlags } from "../cli/flags.ts";
import { readMenus } from "../compile/read-menus.ts";
import { importChanges } from "./import-change.ts";
import { importLive } from "./import-live.ts";
import { UsageError } from "../util/usage-error.ts";
import { Places, fileOf, keyOfFile, slugFrom } from "../import/places.ts";
import { menuWriter, formattedMenu } from "../import/write-menu.ts";
import { openConfiguration } from "../workspace/open-project.ts";
import { folderInTheWay, writeNew } from "../project/write-file.ts";
import { readAgents } from "../project/agents-lock.ts";

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
    if (context.flags.live) return areKeys(context) ? importChanges(context) : importLive(context);
    const [named = "", extra] = context.args;
    if (named === "" || extra !== undefined) {
      const words = "Specify one file with payloads, or use --live. For details, run:";
      throw new UsageError({ words, argv: ["import", "--help"] });
    }
    const found = new Diagnostics();
    if (named === "-" && context.terminal.interactive) {
      context.terminal.note("Paste a payload or a curl command, then press Ctrl-D.\n");
    }
    const input = await readInput(context.root, named, context.host, found);
    const payloads = input ? readPayloads(input, found) : [];
    const menus = await convert(context, payloads, found);
    const written: WrittenMenu[] = [];
    for (const menu of found.hasErrors ? [] : menus) {
      if (menu.file === null || writeNew(context.root, menu.file, menu.text, found)) {
        written.push(menu);
      }
    }
    const diagnostics = found.sorted();
    return { diagnostics, ...importedResult(written, context.globals.env) };
  },
});

/** Whether the user named menus of the project, and not menus that the service has. */
function areKeys(context: Context<typeof flags>): boolean {
  const { files } = openConfiguration(context);
  const { menus } = readMenuFiles(files, new Diagnostics(), { tests: false });
  const nodes = menus.flatMap((source) => readMenus(source, new Diagnostics()));
  const keys = new Set(nodes.map(({ key }) => key));
  const { args, flags: given } = context;
  return given.out === undefined && args.length > 0 && args.every((name) => keys.has(name));
}

/** Returns the menu of each payload and its file. Reports all problems. */
async function convert(
  context: Context<typeof flags>,
  payloads: readonly ImportedPayload[],
  found: Diagnostics,
): Promise<WrittenMenu[]> {
  const { root, flags } = context;
  const { out } = flags;
  const isPrinted = out === "-";
  if (out !== undefined && !isPrinted && payloads.length > 1) {
    throw new UsageError(
      `\`--out FILE\` works for one menu, but the input has ${payloads.length}. Remove it to write a file for each menu.`,
    );
  }
  const chosen = keyOfFile(root, out);
  const configuration = openConfiguration(context);
  for (const part of Object.values(configuration.found)) found.addAll(part);
  const agents = readAgents(configuration, { agentsRequired: false }, found);
  const { environment } = configuration;
  if (environment === undefined) return [];
  // Only the keys and names of existing menus matter, not their problems.
  const { menus, folders } = readMenuFiles(configuration.files, new Diagnostics(), {
    tests: false,
  });
  const unknown = { environment: undefined, agents: undefined };
  const inherited = new FolderDefaults(folders, undefined);
  const places = new Places(root, compileMenus({ sources: menus, inherited, ...unknown }).menus);
  const given = payloads.map((payload) => importedMenu(payload, environment));
  const write = menuWriter({ environment, agents, folders }, given);
  const imported: WrittenMenu[] = [];
  for (const payload of given) {
    const { name } = payload.menu;
    const key = chosen ?? payload.key?.value ?? slugFrom(name);
    const problem =
      key === ""
        ? noKey
        : isPrinted
          ? undefined
          : (places.nameProblem(name) ?? folderProblem(root, key) ?? places.keyProblem(key));
    if (problem) found.add("IVR655", payload.key?.at ?? payload.at("name"), ...problem);
    else places.take(key, name, "Another payload of this import");
    const file = isPrinted ? null : fileOf(key);
    const menu = write(payload, { file: file ?? "", isOrdered: true }, found);
    if (menu === undefined || problem !== undefined) continue;
    imported.push({ key, file, ...(await formattedMenu(menu)) });
  }
  return imported;
}

function folderProblem(root: string, key: string): readonly [string, string] | undefined {
  const wrong = folderInTheWay(root, fileOf(key));
  return wrong === undefined
    ? undefined
    : [`${wrong}.`, "Choose a different file with --out FILE."];
}

const noKey = [
  "This name has no letters or digits for a menu key.",
  "Choose a key with --out ivrs/KEY.yaml, or import a map { KEY: PAYLOAD }.",
] as const;
