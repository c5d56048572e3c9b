import yargs from "yargs";
import { DiskFiles, configName } from "../project/files.ts";
import { MenuNames } from "../project/menu-names.ts";
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
  const unread = new Diagnostics();
  const source = new DiskFiles(root).read(configName, "yamlFile", unread);
  if (source === undefined) return [];
  const names =
    what === "menus"
      ? new MenuNames(root, root).all().map(({ key }) => key)
      : entriesOf(field(readYaml(source, unread)[0]?.root, what)).map(({ key }) => key.text);
  // Shells expand the words that they get, so only plain words are safe.
  return names.filter((name) => /^[\w./-]+$/.test(name));
}
