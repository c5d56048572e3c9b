import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MenuNames } from "../workspace/select-files.ts";
import { openConfiguration } from "../workspace/open-project.ts";
import { projectRoot } from "../project/root.ts";
import { packageRoot } from "../util/disk.ts";
import type { Host } from "../util/host.ts";

/** The shells with a completion script. */
export const shells = ["bash", "zsh", "fish"] as const;

/** The script for a shell, which asks ivrctl for the words to suggest. */
export function completionScript(shell: (typeof shells)[number]): string {
  return readFileSync(join(packageRoot(), "templates/completion", shell), "utf8");
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
