import { encode } from "./deploy/service/encode-payload.ts";
import { standardWire } from "./project/environment.ts";
import { openFiles } from "./workspace/open-project.ts";
import { TextFiles } from "./project/text-files.ts";
import * as z from "zod/mini";
import { readAgentList } from "./project/agent-list.ts";
import { compileProject } from "./workspace/compile-project.ts";
import { reportLinks } from "./compile/links.ts";
import type { RulePlugin } from "./rules/plugin.ts";
import { readPlugin } from "./rules/custom-rules.ts";
import {
  Diagnostics,
  type Diagnostic as FullDiagnostic,
  type Range,
  diagnosticRange,
} from "./diagnostics/diagnostic.ts";
import { Source } from "./diagnostics/source.ts";
import { validate } from "./schema/validated.ts";
import type { Payload } from "./schema/wire.ts";
import { hintText } from "./util/suggest.ts";

export type { Payload } from "./schema/wire.ts";
export type * from "./rules/plugin.ts";
export type { Severity } from "./diagnostics/diagnostic.ts";

/** A problem and its place. Lines and columns start at 1. */
export type Diagnostic = Omit<FullDiagnostic, "hint" | "source" | "kind" | "rule" | "related"> &
  Range & { readonly hint?: string };

export interface Project {
  /** The text of ivrctl.yaml. */
  readonly config: string;
  /** The text of each menu file by its path: `ivrs/front-desk.yaml`. */
  readonly menus: Readonly<Record<string, string>>;
  /** The agent list: the array of the service, the content of agents.lock.json, or either as JSON text. */
  readonly agents: unknown;
  /** The environment. Default: IVRCTL_ENV in `variables`, then `default_environment`. */
  readonly environment?: string;
  /** The values for `${NAME}` in the configuration, for example `process.env`. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** Your custom rules. Modules that the configuration names are not loaded. */
  readonly plugins?: readonly RulePlugin[];
}

export interface Compiled {
  /** The payloads by menu key. Empty if any menu has an error. */
  readonly payloads: Readonly<Record<string, Payload>>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Validates what a JavaScript program may get wrong. The agent list and plugins are validated later. */
const Input = z.object({
  config: z.string(),
  menus: z.record(z.string(), z.string()),
  environment: z.optional(z.string()),
  // Not a z.record, because zod does not accept `process.env` as one.
  variables: z.optional(z.catchall(z.object({}), z.optional(z.string()))),
  plugins: z.optional(z.array(z.unknown())),
});

/** Compiles menus to payloads. Pure: reads no files, no environment variables and no network. */
export function compile(project: Project): Compiled {
  const input = validate(Input, project);
  if (!input.success) throw new TypeError(`The project is invalid: ${input.problem}.`);
  const { agents, config, environment, variables = {} } = project;
  for (const path of Object.keys(project.menus)) {
    if (!/^ivrs\/.+\.ya?ml$/i.test(path)) {
      throw new TypeError(`\`${path}\` is not the path of a menu, such as ivrs/front-desk.yaml.`);
    }
  }
  const files = new TextFiles({ "ivrctl.yaml": config, ...project.menus });
  const opened = openFiles(files, { environment, variables });
  const plugins = { rules: (project.plugins ?? []).flatMap(rulesOf), complete: false };
  const list = source(
    "agents.lock.json",
    typeof agents === "string" ? agents : JSON.stringify(agents),
  );
  const problems = new Diagnostics();
  const {
    compiled,
    diagnostics,
    environment: chosen,
  } = compileProject(
    { ...opened, plugins },
    {
      agents: readAgentList(list, opened.environment?.name, problems),
      notes: true,
    },
  );
  diagnostics.addAll(problems);
  reportLinks(compiled.values(), diagnostics);
  const wire = chosen?.wire ?? standardWire;
  const payloads = [...compiled.values()].map(
    ({ key, content }) => [key, encode(content, wire)] as const,
  );
  return {
    payloads: diagnostics.hasErrors ? {} : Object.fromEntries(payloads),
    diagnostics: diagnostics.sorted().map(withRange),
  };
}

function withRange(diagnostic: FullDiagnostic): Diagnostic {
  const {
    source: _text,
    kind: _kind,
    rule: _rule,
    affects: _menus,
    related: _places,
    hint,
    ...shown
  } = diagnostic;
  return { ...shown, ...(hint && { hint: hintText(hint) }), ...diagnosticRange(diagnostic) };
}

function rulesOf(plugin: RulePlugin) {
  const reading = readPlugin(plugin);
  if (reading.kind === "read") return reading.rules;
  throw new TypeError(`The plugin is invalid: ${reading.problem}.`);
}

function source(file: string, text: string): Source {
  return new Source(file, text.replace(/^\uFEFF/, ""));
}
