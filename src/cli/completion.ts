import yargs from "yargs";
import { DiskFiles, configName, readMenuFiles } from "../project/files.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { entriesOf, field } from "../yaml/node.ts";
import { readYaml } from "../yaml/read-yaml.ts";

/** The script for the shell in $SHELL, which asks ivrctl for the words to suggest. */
export async function completionScript(): Promise<string> {
  let script = "";
  await yargs()
    .scriptName("ivrctl")
    .exitProcess(false)
    .completion()
    .parseAsync("completion", {}, (_error, _values, text) => {
      script = `${text}\n`;
    });
  return script;
}

/** Returns names of a project for shell completion. Does not report what cannot be read. */
export function suggestNames(what: "environments" | "menus", root: string): string[] {
  const names = what === "menus" ? menuKeys(root) : environments(root);
  // Shells expand the words that they get, so only plain words are safe.
  return names.filter((name) => /^[\w./-]+$/.test(name));
}

function environments(root: string): string[] {
  const unread = new Diagnostics();
  const source = new DiskFiles(root).read(configName, "yamlFile", unread);
  const config = source && readYaml(source, unread)[0]?.root;
  return entriesOf(field(config, "environments")).map(({ key }) => key.text);
}

/** Returns the names of the menu files, or their `id:` lines. Does not parse YAML. */
function menuKeys(root: string): string[] {
  const files = new DiskFiles(root);
  if (!files.has(configName)) return [];
  const { menus } = readMenuFiles(files, new Diagnostics(), { tests: false });
  return menus.flatMap(({ file, text }) => {
    const ids = [...text.matchAll(/^id:[ \t]*["']?([\w./-]+)/gm)].flatMap(([, id]) => id ?? []);
    return ids.length > 0 ? ids : [file.replace(/^ivrs\/|\.yaml$/g, "")];
  });
}
