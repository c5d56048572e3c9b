import { relative } from "node:path";
import { type Config, readConfig } from "../project/config.ts";
import { type Node, entry, field, textField } from "../yaml/node.ts";
import { realEnvironments } from "../project/service-settings.ts";
import { variablesIn } from "../project/variables.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { configName } from "../project/files.ts";
import { lockFile, lockedIn } from "./lock-file.ts";
import type { Survey } from "./survey.ts";
import { type PipelineSettings, type Target, projectTemplate } from "./templates.ts";
import { slashed } from "../util/slashed.ts";
import type { Hint } from "../util/suggest.ts";

/** The settings of a pipeline, or why there can be no pipeline. */
export type Pipeline =
  | { readonly kind: "possible"; readonly settings: PipelineSettings }
  | {
      readonly kind: "impossible";
      readonly code: "IVR660" | "IVR663" | "IVR683";
      readonly file: string;
      readonly problem: string;
      readonly hint: Hint;
    };

/** The pipeline for a project. `named` is the environment that the user asked for. */
export function pipelineOf(
  { root, top = root, branch = "main", config }: Survey,
  named: string | undefined,
): Pipeline {
  const directory = slashed(relative(top, root)) || ".";
  // A pipeline file uses the folder in YAML, in expressions of the forge and in shells.
  if (!/^[\w.][\w.-]*(?:\/[\w.][\w.-]*)*$/.test(directory)) {
    return {
      kind: "impossible",
      code: "IVR660",
      file: directory,
      problem: `Pipeline files cannot refer to the folder ${directory}: its name has characters that are not allowed there.`,
      hint: "Use only letters, digits, `.`, `_` and `-` in the name, or write no pipeline: --ci none",
    };
  }
  const own = config ?? standardConfig();
  const real = own === undefined ? [] : realEnvironments(own);
  const [environment, ...others] = named === undefined ? real : real.filter((one) => one === named);
  if (own === undefined || environment === undefined || others.length > 0) {
    return { kind: "impossible", code: "IVR660", file: configName, ...openChoice(real, named) };
  }
  const backend = backendOf(own, environment);
  if (backend === "file") {
    return {
      kind: "impossible",
      code: "IVR683",
      file: configName,
      problem: `A pipeline cannot keep the state of ${environment} in a file: each run starts from a new checkout.`,
      hint: {
        words: `Write \`state: { backend: git }\` under \`${environment}\`. If you have applied menus already, move the state before you write that:`,
        argv: ["state", "migrate", "--env", environment, "--to", "git"],
      },
    };
  }
  const store = sharedStores.get(backend);
  const locked = lockedIn([root, top], store?.driver);
  if (locked.kind === "missing") {
    return {
      kind: "impossible",
      code: "IVR663",
      file: lockFile,
      problem: `${lockFile} does not have ${locked.missing}, so a pipeline cannot install exactly the version that you reviewed.`,
      hint:
        locked.missing === "ivrctl" ? ivrctlHint : `Run: npm install --save-dev ${locked.missing}`,
    };
  }
  return {
    kind: "possible",
    settings: {
      directory,
      install: slashed(relative(top, locked.folder)) || ".",
      branch,
      target: targetOf(own, environment, store),
    },
  };
}

/** The package is not in the public registry, where anyone could publish that name. */
const ivrctlHint =
  "Copy the packed file of ivrctl into the repository (docs/ci.md), then run: npm install --save-dev ./ivrctl-VERSION.tgz";

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
  const { file, text } = projectTemplate(true).config;
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

/** The state stores with a driver. */
const sharedStores: ReadonlyMap<string, SharedStore> = new Map([
  ["postgres", { driver: "pg", secretSetting: "url", secrets: [] }],
  [
    "s3",
    {
      driver: "@aws-sdk/client-s3",
      secrets: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
    },
  ],
]);

function environmentIn({ root }: Config, name: string): Node | undefined {
  return entry(field(root, "environments"), name)?.value;
}

/** The backend of the state. If a variable names it, any backend except files is possible. */
function backendOf(config: Config, environment: string): string {
  const state = field(environmentIn(config, environment), "state");
  return textField(state, "backend") ?? "file";
}

/** The variables that this environment uses. Those of its token and its store are secrets. */
function targetOf(config: Config, environment: string, store: SharedStore | undefined): Target {
  const { root } = config;
  const chosen = environmentIn(config, environment);
  const state = field(chosen, "state");
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
  return {
    environment,
    variables: [...variables],
    secrets: [...secrets],
    pushes: store === undefined,
  };
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
