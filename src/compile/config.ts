import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { addressProblem } from "../schema/address.ts";
import { Config as ConfigSchema } from "../schema/config.ts";
import { neverDefault } from "../schema/menu.ts";
import { check } from "./check.ts";
import { type MapNode, type Node, field } from "./read/node.ts";
import { readYaml } from "./read/yaml.ts";
import { hideTokens, hideWhatLooksSecret } from "./secrets.ts";
import { hasVariable } from "./variables.ts";

/** ivrctl.yaml as read: its shape judged, its variables not yet looked up. */
export interface Config {
  readonly source: Source;
  readonly root: MapNode;
  readonly faulty: ReadonlySet<Node>;
}

export function readConfig(source: Source, diagnostics: Diagnostics): Config | undefined {
  hideWhatLooksSecret(source);
  const documents = readYaml(source, diagnostics);
  const [root, second] = documents.flatMap((document) => document.root ?? []);
  if (root === undefined) {
    if (!documents.some(({ broken }) => broken)) {
      diagnostics.add(
        "IVR105",
        source.top(),
        `${source.file} is empty.`,
        "It starts with `version: 1`.",
      );
    }
    return undefined;
  }
  if (root.kind !== "map") {
    diagnostics.add("IVR106", root, `A ${root.kind} stands where the configuration should be.`);
    return undefined;
  }
  if (second !== undefined) {
    diagnostics.add(
      "IVR119",
      second.kind === "map" ? (second.entries[0]?.key ?? second) : second,
      `${source.file} holds one document, and this is a second one.`,
      "Remove the `---` above it, or what follows.",
    );
  }
  for (const service of services(root)) hideTokens(service);
  const { faulty } = check(ConfigSchema, root, {
    diagnostics,
    top: root.entries[0]?.key ?? source.top(),
    spare: ({ text }, code) => code !== "IVR404" && hasVariable(text),
    unknownField: (key, path) =>
      path[0] === "defaults" && path.length === 1 && neverDefault.has(key)
        ? { code: "IVR211", message: `\`${key}\` cannot be a default: it belongs to one menu.` }
        : undefined,
  });
  checkAddresses(root, diagnostics);
  return { source, root, faulty };
}

function services(root: MapNode): MapNode[] {
  const environments = field(root, "environments");
  if (environments?.kind !== "map") return [];
  return environments.entries.flatMap(({ value }) => {
    const service = field(value, "service");
    return service?.kind === "map" ? [service] : [];
  });
}

function checkAddresses(root: MapNode, diagnostics: Diagnostics): void {
  for (const service of services(root)) {
    const address = field(service, "base_url");
    if (address?.kind !== "scalar" || hasVariable(address.text)) continue;
    const problem = addressProblem(address.text);
    if (problem === undefined) continue;
    if (address.text.includes("@")) address.source.hide(address.start, address.end);
    diagnostics.add("IVR407", address, problem);
  }
}
