import { type ImportedPayload, importedMenu, readInput, readPayloads } from "../import/payloads.ts";
import { readMenuFiles } from "../project/files.ts";
import { compileMenus } from "../workspace/compile-project.ts";
import { FolderDefaults } from "../compile/folder-defaults.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type WrittenMenu, importedResult } from "../views/import-result.ts";
import { UsageError } from "../util/usage-error.ts";
import { Places, fileOf, keyOfFile, slugFrom } from "../import/places.ts";
import { menuWriter, formattedMenu } from "../import/write-menu.ts";
import { openConfiguration } from "../workspace/open-project.ts";
import { folderInTheWay, writeNew } from "../project/write-file.ts";
import { readAgents } from "../project/agents-lock.ts";
import type { Result } from "../views/result.ts";
import type { Caller } from "./caller.ts";

/** Writes the menus of payloads to new files. `out` is the file of the only one, or `-` to print all. */
export async function importPayloads(
  caller: Caller,
  file: string,
  out: string | undefined,
): Promise<Result> {
  const diagnostics = new Diagnostics();
  const input = await readInput(caller.root, file, caller.host, diagnostics);
  const payloads = input ? readPayloads(input, diagnostics) : [];
  const menus = await convert(caller, payloads, out, diagnostics);
  const written: WrittenMenu[] = [];
  for (const menu of diagnostics.hasErrors ? [] : menus) {
    if (menu.file === null || writeNew(caller.root, menu.file, menu.text, diagnostics)) {
      written.push(menu);
    }
  }
  return { diagnostics: diagnostics.sorted(), ...importedResult(written, caller.globals.env) };
}

/** Returns the menu of each payload and its file. Reports all problems. */
async function convert(
  caller: Caller,
  payloads: readonly ImportedPayload[],
  out: string | undefined,
  diagnostics: Diagnostics,
): Promise<WrittenMenu[]> {
  const { root } = caller;
  const isPrinted = out === "-";
  if (out !== undefined && !isPrinted && payloads.length > 1) {
    throw new UsageError(
      `\`--out FILE\` works for one menu, but the input has ${payloads.length}. Remove it to write a file for each menu.`,
    );
  }
  const chosen = keyOfFile(root, out);
  const configuration = openConfiguration(caller);
  for (const part of Object.values(configuration.found)) diagnostics.addAll(part);
  const agents = readAgents(configuration, { agentsRequired: false }, diagnostics);
  const { environment } = configuration;
  if (environment === undefined) return [];
  // Only the keys and names of existing menus matter, not their problems.
  const { menus, folders } = readMenuFiles(configuration.files, new Diagnostics(), {
    tests: false,
  });
  const unknown = { environment: undefined, agents: undefined };
  const inherited = new FolderDefaults(folders, undefined);
  const places = new Places(root, compileMenus({ sources: menus, inherited, ...unknown }).menus);
  const menusToWrite = payloads.map((payload) => importedMenu(payload, environment));
  const write = menuWriter({ environment, agents, folders }, menusToWrite);
  const imported: WrittenMenu[] = [];
  for (const payload of menusToWrite) {
    const { name } = payload.menu;
    const key = chosen ?? payload.key?.value ?? slugFrom(name);
    const problem =
      key === ""
        ? noKey
        : isPrinted
          ? undefined
          : (places.nameProblem(name) ?? folderProblem(root, key) ?? places.keyProblem(key));
    if (problem) diagnostics.add("IVR655", payload.key?.at ?? payload.at("name"), ...problem);
    else places.take(key, name, "Another payload of this import");
    const file = isPrinted ? null : fileOf(key);
    const menu = write(payload, { file: file ?? "", isOrdered: true }, diagnostics);
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
