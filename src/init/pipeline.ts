import { relative, sep } from "node:path";
import { type Config, readConfig } from "../project/config.ts";
import { type Node, entry, field, textField } from "../yaml/node.ts";
import { realEnvironments } from "../project/service-settings.ts";
import { variablesIn } from "../project/variables.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { version } from "../util/version.ts";
import type { Survey } from "./survey.ts";
import { type PipelineSettings, type Target, projectTemplate } from "./templates.ts";

/** The settings of a pipeline, or why there can be no pipeline. */
export type Pipeline =
  | { readonly kind: "possible"; readonly settings: PipelineSettings }
  | {
      readonly kind: "impossible";
      readonly code: "IVR661" | "IVR662";
      readonly file: string;
      readonly problem: string;
      readonly hint: string;
    };

/** The pipeline for a project. `named` is the environment that the user asked for. */
export function pipelineOf(
  { root, top = root, branch = "main", config }: Survey,
  named: string | undefined,
): Pipeline {
  const directory = relative(top, root).split(sep).join("/") || ".";
  // A pipeline file uses the folder in YAML, in expressions of the forge and in shells.
  if (!/^[\w.][\w.-]*(?:\/[\w.][\w.-]*)*$/.test(directory)) {
    return {
      kind: "impossible",
      code: "IVR661",
      file: directory,
      problem: `Pipeline files cannot refer to the folder ${directory}: its name has characters that are not allowed there.`,
      hint: "Use only letters, digits, `.`, `_` and `-` in the name, or write no pipeline: --ci none",
    };
  }
  const own = config ?? standardConfig();
  const real = own === undefined ? [] : realEnvironments(own);
  const [environment, ...others] = named === undefined ? real : real.filter((one) => one === named);
  if (own !== undefined && environment !== undefined && others.length === 0) {
    const settings = { version, directory, branch, target: targetOf(own, environment) };
    return { kind: "possible", settings };
  }
  return { kind: "impossible", code: "IVR662", file: "ivrctl.yaml", ...openChoice(real, named) };
}

function openChoice(real: readonly string[], named: string | undefined) {
  const [first] = real;
  if (first === undefined) {
    return {
      problem:
        "ivrctl.yaml has no environment with a real service, so a pipeline has nothing to apply to.",
      hint: "Add an environment with `base_url` and `token`.",
    };
  }
  return named === undefined
    ? {
        problem: `A pipeline applies to one environment, but ivrctl.yaml has several: ${real.join(", ")}.`,
        hint: `Choose one, for example: --env ${first}`,
      }
    : {
        problem: `A pipeline cannot apply to ${named}: it is not an environment with a real service.`,
        hint:
          real.length === 1
            ? `Use the environment with a real service: --env ${first}`
            : `Choose one of ${real.join(", ")}, for example: --env ${first}`,
      };
}

/** The configuration that init writes. */
function standardConfig(): Config | undefined {
  const { file, text } = projectTemplate().config;
  return readConfig(new Source(file, text), new Diagnostics());
}

/** What a job needs for a shared state store. */
interface SharedStore {
  /** The npm package of its driver. */
  readonly driver: string;
  /** The setting under `state:` whose variables are secrets. */
  readonly secretSetting?: string;
  /** Secrets that the driver reads by itself. */
  readonly secrets: readonly string[];
}

/** Every state store except files in the project. */
const sharedStores: ReadonlyMap<string, SharedStore> = new Map([
  ["postgres", { driver: "pg@8", secretSetting: "url", secrets: [] }],
  [
    "s3",
    {
      driver: "@aws-sdk/client-s3@3",
      secrets: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
    },
  ],
]);

/** The variables that this environment uses. Those of its token and its store are secrets. */
function targetOf({ root }: Config, environment: string): Target {
  const chosen = entry(field(root, "environments"), environment)?.value;
  const state = field(chosen, "state");
  const store = sharedStores.get(textField(state, "backend") ?? "file");
  const hidden = [
    field(field(chosen, "service"), "token"),
    store?.secretSetting === undefined ? undefined : field(state, store.secretSetting),
  ];
  const secrets = new Set([...hidden.flatMap(variablesOf), ...(store?.secrets ?? [])]);
  const common = root.entries
    .filter(({ key }) => key.text !== "environments" && key.text !== "default_environment")
    .map(({ value }) => value);
  const used = [chosen, ...common].flatMap((node) => variablesOf(node));
  const variables = new Set(used.filter((name) => !secrets.has(name)));
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
      // The text of a recording is for people, and works without its variables.
      return node.entries.flatMap(({ key, value }) =>
        key.text === "says" ? [] : variablesOf(value),
      );
    default:
      return node satisfies never;
  }
}
