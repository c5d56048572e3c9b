import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { MapNode } from "../yaml/node.ts";
import { withDefaults } from "./defaults.ts";
import type { Inherited } from "./folder-defaults.ts";
import type { MenuNode } from "./menu.ts";
import { withDistinctOptions, withoutExcess } from "./options.ts";
import { Vars, readVars, reportUnused } from "./vars.ts";

/** A menu with its defaults and variables applied. */
interface EffectiveMenu {
  readonly root: MapNode;
  readonly vars: Vars;
  /** The names of all variables in its texts. */
  readonly usedVars: ReadonlySet<string>;
}

/** Applies the defaults, then replaces the variables. Every value keeps its place. */
export function effectiveMenu(
  { root, source, key, readable }: MenuNode,
  inherited: Inherited,
  diagnostics: Diagnostics,
): EffectiveMenu {
  const own = withDistinctOptions(root, diagnostics);
  const merged = withoutExcess(withDefaults(own, inherited.defaults), diagnostics);
  const ownVars = readVars(own, source);
  const vars = new Vars(
    [ownVars, ...inherited.vars],
    { name: key ?? source.file, file: source.file },
    inherited.complete,
  );
  const { tree, used } = vars.fill(merged, diagnostics);
  if (readable && inherited.complete) reportUnused(ownVars, used, diagnostics);
  return { root: tree, vars, usedVars: used };
}
