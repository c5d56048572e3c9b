import { realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Config } from "../project/config-file.ts";
import { leadsOutside } from "../project/files.ts";
import { at } from "../yaml/node.ts";
import type { PluginReading } from "./custom-rules.ts";
import type { Rule } from "./rule.ts";
import { type Plugins, noPlugins } from "./rule-settings.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { foreignFiles } from "../util/foreign-code.ts";
import { describeSystemError } from "../util/system-error.ts";

/** Loads the modules in `rules: { plugins: [...] }`. Reports one that cannot be used. */
export async function loadPlugins(
  root: string,
  config: Config | undefined,
  diagnostics: Diagnostics,
): Promise<Plugins> {
  const paths = config === undefined ? [] : pluginFiles(config);
  if (config === undefined || paths.length === 0) return noPlugins;
  const rules: Rule[] = [];
  const names = new Set<string>();
  let complete = true;
  for (const [index, path] of paths.entries()) {
    const reading = await read(root, path);
    const problem =
      reading.kind === "read" && names.has(reading.name)
        ? `another plugin already has the name \`${reading.name}\``
        : reading.kind === "refused"
          ? reading.problem
          : undefined;
    if (reading.kind === "read" && problem === undefined) {
      names.add(reading.name);
      rules.push(...reading.rules);
      continue;
    }
    complete = false;
    diagnostics.add(
      "IVR745",
      at(config.tree, ["rules", "plugins", index]),
      `This plugin cannot be used: ${problem}.`,
      "Correct the module, or remove it from `plugins:`.",
    );
  }
  return { rules, complete };
}

/** Returns the paths of the plugins, relative to the project. */
export function pluginFiles({ value }: Config): readonly string[] {
  const plugins: unknown = value.rules?.plugins;
  return Array.isArray(plugins) ? plugins.map(String) : [];
}

async function read(root: string, path: string): Promise<PluginReading> {
  const refused = (problem: string) => ({ kind: "refused", problem }) as const;
  if (isAbsolute(path)) return refused("its path must be relative to the project");
  let target: string;
  try {
    target = realpathSync(resolve(root, path));
    const inside = relative(realpathSync(root), target);
    if (leadsOutside(inside) || isAbsolute(inside)) {
      return refused("it is not inside the project");
    }
    if (!statSync(target).isFile()) return refused("it is not a file");
  } catch (error) {
    return refused(describeSystemError(error));
  }
  // Most projects have no plugin, and starting must not load this code for nothing.
  const { readPlugin, thrownMessage } = await import("./custom-rules.ts");
  try {
    const { href } = pathToFileURL(target);
    foreignFiles.add(href);
    const module: unknown = await import(href);
    const isModule = typeof module === "object" && module !== null && "default" in module;
    return readPlugin(isModule ? module.default : undefined);
  } catch (error) {
    return refused(`loading it failed (${thrownMessage(error)})`);
  }
}
