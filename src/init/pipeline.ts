import { relative, sep } from "node:path";
import { type Config, readConfig } from "../project/config.ts";
import { type Node, entry, field } from "../yaml/node.ts";
import { variablesIn } from "../project/variables.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { version } from "../util/version.ts";
import { secretsIn, sharedStoreOf } from "./shared-store.ts";
import type { Survey } from "./survey.ts";
import { type Marks, type Target, projectTemplate } from "./templates.ts";

/** What a pipeline's files are to be told, or why they cannot be. */
export type Telling =
  | { readonly kind: "told"; readonly marks: Marks }
  | {
      readonly kind: "untold";
      readonly code: "IVR661" | "IVR662";
      readonly file: string;
      readonly problem: string;
      readonly hint: string;
    };

/** `named` is the environment that was asked for. */
export function tellingOf(
  { root, top = root, branch = "main", config }: Survey,
  named: string | undefined,
): Telling {
  const directory = relative(top, root).split(sep).join("/") || ".";
  // In a pipeline file it stands in YAML, in expressions of the forge and in shells.
  if (!/^[\w.][\w.-]*(?:\/[\w.][\w.-]*)*$/.test(directory)) {
    return {
      kind: "untold",
      code: "IVR661",
      file: directory,
      problem: `The pipeline's files stand at the top of the repository, ${top}, and cannot name the folder ${directory}.`,
      hint: "Rename the folder, or leave the pipeline out: --ci none",
    };
  }
  const own = config ?? standardConfig();
  const real = own === undefined ? [] : realEnvironments(own);
  const [environment, ...others] = named === undefined ? real : real.filter((one) => one === named);
  if (own !== undefined && environment !== undefined && others.length === 0) {
    return {
      kind: "told",
      marks: { version, directory, branch, target: targetOf(own, environment) },
    };
  }
  return { kind: "untold", code: "IVR662", file: "ivrctl.yaml", ...openChoice(real, named) };
}

function openChoice(real: readonly string[], named: string | undefined) {
  const [first] = real;
  if (first === undefined) {
    return {
      problem: "No environment of ivrctl.yaml has a real service that a pipeline could apply to.",
      hint: "Add one, with `base_url` and `token`.",
    };
  }
  return named === undefined
    ? {
        problem: `A pipeline applies to one environment, and ivrctl.yaml has ${real.join(", ")}.`,
        hint: `Say which one: --env ${first}`,
      }
    : {
        problem: `A pipeline cannot apply to ${named}: in ivrctl.yaml ${real.join(", ")} ${real.length === 1 ? "has" : "have"} a real service.`,
        hint: `For example: --env ${first}`,
      };
}

/** That of a project that is yet to be made. */
function standardConfig(): Config | undefined {
  const { file, text } = projectTemplate().config;
  return readConfig(new Source(file, text), new Diagnostics());
}

function realEnvironments({ root }: Config): string[] {
  const environments = field(root, "environments");
  if (environments?.kind !== "map") return [];
  return environments.entries
    .filter(({ value }) => field(value, "service")?.kind === "map")
    .map(({ key }) => key.text);
}

/** The variables that are read for this environment; those behind its token and its store are secrets. */
function targetOf({ root }: Config, environment: string): Target {
  const chosen = entry(field(root, "environments"), environment)?.value;
  const state = field(chosen, "state");
  const store = sharedStoreOf(state);
  const hidden = [field(field(chosen, "service"), "token"), ...secretsIn(state, store)];
  const secrets = new Set([...hidden.flatMap(variablesOf), ...(store?.secrets ?? [])]);
  const common = root.entries
    .filter(({ key }) => key.text !== "environments" && key.text !== "default_environment")
    .map(({ value }) => value);
  const read = [chosen, ...common].flatMap((node) => variablesOf(node));
  const all = [...read, ...(store?.variables ?? [])];
  const variables = new Set(all.filter((name) => !secrets.has(name)));
  const driver = store?.driver;
  return { environment, variables: [...variables], secrets: [...secrets], driver };
}

function variablesOf(node: Node | undefined): string[] {
  switch (node?.kind) {
    case undefined:
      return [];
    case "scalar":
      return variablesIn(node.text);
    case "list":
      return node.items.flatMap(variablesOf);
    case "map":
      // What a recording says is for people, and works without its variables.
      return node.entries.flatMap(({ key, value }) =>
        key.text === "says" ? [] : variablesOf(value),
      );
    default:
      return node satisfies never;
  }
}
