import { hash } from "node:crypto";
import type { Agents } from "../compile/agents.ts";
import type { Basis } from "../compile/memory.ts";
import { type MapNode, type Node, field } from "../compile/read/node.ts";
import { hasVariable } from "../compile/variables.ts";
import { Source } from "../diagnostics/source.ts";

/** How records are written. */
const layout = 1;

/**
 * What everything beside a menu's own text comes to, as one name: records made on
 * another basis are never met. Undefined where menus depend on variables, whose values
 * are not to be kept, not even in a digest.
 */
export function basisName(
  { config, environment, agents, rules }: Basis,
  build: string,
): string | undefined {
  if (usesVariables(config.root)) return undefined;
  return digest(
    JSON.stringify([
      layout,
      build,
      // How letters compare is up to Node.
      process.version,
      config.source.file,
      config.source.text,
      environment.name,
      agentsIn(agents),
      rules,
    ]),
  );
}

/** What the canonical layout of a text depends on: ivrctl alone. */
export function layoutName(build: string): string {
  return digest(JSON.stringify([layout, build, process.version, "fmt"]));
}

/** A text at its place: what it says in a menu depends on nothing else of its file. */
export function textName({ file, text }: Source): string {
  return digest(`${file.length} ${file} ${text}`);
}

function digest(text: string | Uint8Array): string {
  return hash("sha256", text, "hex");
}

function agentsIn(agents: Agents | Source | undefined): readonly string[] {
  if (agents === undefined) return [];
  return agents instanceof Source
    ? ["text", digest(agents.bytes ?? agents.text)]
    : ["list", digest(JSON.stringify(agents.list))];
}

/** Whether anything but an environment's service and state is read from a variable. */
function usesVariables(root: MapNode): boolean {
  const environments = field(root, "environments");
  const aside = new Set<Node | undefined>();
  for (const { value } of environments?.kind === "map" ? environments.entries : []) {
    for (const name of ["service", "state"]) aside.add(field(value, name));
  }
  const visit = (node: Node): boolean => {
    if (aside.has(node)) return false;
    switch (node.kind) {
      case "scalar":
        return hasVariable(node.text);
      case "list":
        return node.items.some(visit);
      case "map":
        return node.entries.some(({ value }) => visit(value));
    }
  };
  return visit(root);
}
