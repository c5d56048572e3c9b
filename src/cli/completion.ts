import yargs from "yargs";
import { MenuNames } from "../project/menu-names.ts";
import { openConfiguration } from "../project/open-project.ts";
import { projectRoot } from "../project/root.ts";
import type { Host } from "../util/host.ts";

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
export function suggestNames(what: "environments" | "menus", host: Host): string[] {
  const root = projectRoot(host.cwd);
  const { value } = openConfiguration({ root, host, globals: { env: undefined } }).config ?? {};
  const names =
    what === "menus"
      ? new MenuNames(root, root).all().map(({ key }) => key)
      : Object.keys(value?.environments ?? {});
  // Shells expand the words that they get, so only plain words are safe.
  return names.filter((name) => /^[\w./-]+$/.test(name));
}
