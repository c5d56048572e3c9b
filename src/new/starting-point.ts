import type { Agent, Agents } from "../compile/agents.ts";
import { Presets } from "../import/presets.ts";
import { type Reference, References, flowMap } from "../import/references.ts";
import { scalar } from "../import/yaml-text.ts";
import { suggest } from "../util/suggest.ts";
import type { Environment } from "../project/environment.ts";

/** What is known about the project that a menu is written for. */
interface Project {
  readonly environment: Environment;
  readonly agents: Agents | undefined;
  /** The comment that names the schema for editors, if the project has the schema. */
  readonly head: readonly string[];
  /** Whether a text is a menu without problems in this project. */
  readonly fits: (text: string) => boolean;
}

/** Returns the text of a short, valid menu with comments. It uses agents and recordings of the project. */
export function startingPoint(name: string, project: Project): string {
  const { environment, agents } = project;
  const desk = new Desk(agents, environment);
  const aliases = [...environment.recordings.keys()].map((alias) => scalar(alias, { flow: true }));
  // The prompt of a menu announces its keys, so not every recording fits.
  const texts = [...aliases, missing.prompt].map((recording) =>
    textWith(name, recording, desk, project),
  );
  return texts.find(project.fits) ?? texts.at(-1) ?? "";
}

/** Returns the text of a menu that has only variables. Its folder has defaults for everything else. */
export function shortMenu(name: string, vars: readonly string[], head: readonly string[]): string {
  const lines = vars.map((variable, at) => `  ${variable}: ${at === 0 ? scalar(name) : "replace"}`);
  return [...head, ...(lines.length === 0 ? ["vars: {}"] : ["vars:", ...lines]), ""].join("\n");
}

/** Recordings that the user must replace. Each is another one, because rules compare them. */
const missing = {
  prompt: "{ id: replace-prompt }",
  invalid: "{ id: replace-wrong-key }",
  retry: "{ id: replace-still-there }",
  timeout: "{ id: replace-goodbye }",
} as const;

function textWith(
  name: string,
  recording: string,
  desk: Desk,
  { environment, agents, head }: Project,
): string {
  const presets = new Presets(environment, agents);
  const inherited = new Set(presets.options().map(({ key }) => key));
  const fields = (section: string, all: readonly (readonly [string, string | number])[]) => {
    const own = all.filter(([field]) => !presets.has(`${section}.${field}`));
    const lines = own.map(([field, value]) => `  ${field}: ${value}`);
    return lines.length === 0 ? [] : [`${section}:`, ...lines];
  };
  const options = desk.options.filter(({ key }) => !inherited.has(key));
  const [first] = options;
  const lines = [
    `name: ${scalar(name)}`,
    ...(presets.has("description") ? [] : ["description: Say here what this menu is for"]),
    ...(presets.has("recording") ? [] : [`recording: ${recording} # what callers hear first`]),
    "",
    `# The agent for each key. ${desk.advice}`,
    "options:",
    ...options.map(({ key, value }) => `  ${key}: ${value}`),
    "",
    "# What happens after a wrong key, and after silence.",
    ...fields("invalid", [
      ["retries", 2],
      ["recording", missing.invalid],
      ["destination", desk.operator],
    ]),
    ...fields("timeout", [
      ["wait", 5],
      ["retries", 2],
      ["retry_recording", missing.retry],
      ["recording", missing.timeout],
      ["destination", desk.operator],
    ]),
    "",
    "# Calls that must always work. To run them: ivrctl test",
    "tests:",
    ...(first === undefined ? [] : [`  - { press: ${first.key}, reaches: ${first.reaches} }`]),
    `  - { press: [], reaches: ${desk.reachesOperator}, via: timeout }`,
  ];
  const advice = lines.some((line) => line.includes("{ id: replace-"))
    ? ["# Replace each `replace-…` by the id of a recording, or its alias in ivrctl.yaml."]
    : [];
  return [...head, ...advice, ...lines, ""].join("\n");
}

/** The agents that a new menu leads to. */
class Desk {
  readonly operator: string;
  readonly reachesOperator: string;
  readonly options: readonly {
    readonly key: string;
    readonly value: string;
    readonly reaches: string;
  }[];
  readonly advice: string;

  constructor(agents: Agents | undefined, environment: Environment) {
    const usable = (agents?.list ?? []).filter((agent) => isUsable(agent, agents));
    const help = usable.find(({ name }) => /\b(?:desk|reception|operator|help)\b/i.test(name));
    const operator = help ?? usable[0];
    const references = new References(agents, environment);
    const referenceTo = ({ eid }: Agent) => references.agent(eid ?? "");
    const zero = operator
      ? referenceTo(operator)
      : { value: "Front Desk", fields: ["agent: Front Desk"] };
    const others = usable.filter((agent) => agent !== operator).slice(0, 2);
    this.operator = zero.value;
    this.reachesOperator = inFlow(zero);
    this.options = [
      ...others.map(referenceTo).map((reference, at) => ({
        key: String(at + 1),
        value: reference.value,
        reaches: inFlow(reference),
      })),
      { key: "0", value: flowMap(["for: Operator", ...zero.fields]), reaches: inFlow(zero) },
    ];
    this.advice =
      operator === undefined
        ? `There is no agent list yet. To get it: ${suggest("agents pull", [], environment.name)}`
        : "To list all agents: ivrctl agents";
  }
}

/** The reference inside `{ }`, where a name with a comma would end too early. */
function inFlow({ value, fields }: Pick<Reference, "value" | "fields">): string {
  return /^[\w ]+$/.test(value) ? value : flowMap(fields);
}

function isUsable({ eid, blocked }: Agent, agents: Agents | undefined): boolean {
  return eid !== null && !blocked && agents?.with("eid", eid).length === 1;
}
