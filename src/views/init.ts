import { joined } from "../util/many.ts";
import { shellWord } from "../util/shell-word.ts";
import { type Audience, type Page, visible } from "./terminal.ts";
import { twoColumns, wrap } from "./text.ts";
import { type Hint, hintText } from "../util/suggest.ts";

interface Made {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly kept: readonly string[];
  /** The platform, and its files as they should be, written or not. */
  readonly ci: string;
  readonly files: readonly PipelineFile[];
  /** Whether the user asked for no pipeline with `--ci none`. */
  readonly declined: boolean;
  /** Undefined if no project can be created. */
  readonly pipeline: Pipeline | undefined;
  /** Whether init wrote ivrctl.yaml, so that the default environment is the sandbox. */
  readonly sandbox: boolean;
  readonly hasAgents: boolean;
}

type Pipeline =
  | { readonly kind: "possible"; readonly settings: { readonly target: Target } }
  | {
      readonly kind: "impossible";
      readonly code: string;
      readonly problem: string;
      readonly hint: Hint;
    };

interface Target {
  readonly environment: string;
  readonly variables: readonly string[];
  readonly secrets: readonly string[];
}

interface PipelineFile {
  readonly file: string;
  readonly text: string;
  /** Whether the existing file runs ivrctl. */
  readonly runs: boolean;
}

/** What was written, and what was kept. */
export function madeText({ created, changed, kept }: Made, { style }: Page): string {
  return [
    ...created.map((file) => `${style("green", "created")}  ${visible(file)}\n`),
    ...changed.map((file) => `${style("yellow", "changed")}  ${visible(file)}\n`),
    ...kept.map((file) => `kept     ${visible(file)}\n`),
  ].join("");
}

/** What to do next. */
export function nextText(made: Made, { wordWrap }: Page, caller: Caller): string {
  return [
    made.created.length + made.changed.length === 0
      ? "Nothing to add: the project is complete."
      : "",
    pipelineWords(made, wordWrap, caller),
    nextWords(made, wordWrap, caller),
  ]
    .filter((words) => words !== "")
    .map((words) => `\n${words}\n`)
    .join("");
}

type Caller = Pick<Audience, "globals" | "host">;

const forgeNames: Readonly<Record<string, string>> = { github: "GitHub", gitlab: "GitLab" };

function pipelineWords(made: Made, wordWrap: number, caller: Caller): string {
  const { ci, files, created, pipeline, sandbox } = made;
  const sentence = (text: string) => wrap(text, "", wordWrap);
  // Only a new project needs to explain how to add what the user declined.
  if (pipeline === undefined || (made.declined && !sandbox)) return "";
  const needsPackage = pipeline.kind === "impossible" && pipeline.code === "IVR663";
  if (pipeline.kind === "impossible" && !(sandbox && needsPackage)) {
    return sentence(
      `No pipeline files written. ${visible(pipeline.problem)} ${hintText(pipeline.hint)}`,
    );
  }
  const call = callOf("init", caller);
  if (ci === "none" || pipeline.kind === "impossible") {
    const first = [
      ...(sandbox ? ["remove the `#` before `state:` in ivrctl.yaml"] : []),
      ...(needsPackage ? ["add ivrctl to package-lock.json (see docs/ci.md)"] : []),
      "run one of these:",
    ];
    const intro = sentence(`No pipeline files written. To add them later, ${joined(first, "and")}`);
    return `${intro}\n  ${call} --ci github\n  ${call} --ci gitlab`;
  }
  const isNew = ({ file }: PipelineFile) => created.includes(file);
  const old = files.filter((one) => !isNew(one));
  const foreign = old.filter(({ runs }) => !runs);
  const above = old.filter(({ file, runs }) => runs && file.startsWith("../"));
  return [
    ...(files.some(isNew) ? [sentence(settingsWords(pipeline.settings.target, ci))] : []),
    ...above.map(({ file }) =>
      sentence(`${visible(file)} already exists. Check that it also runs this project.`),
    ),
    ...foreign.map(({ file, text }) =>
      // GitLab has one file for all pipelines of a repository; on GitHub the name can be changed.
      file.endsWith(".gitlab-ci.yml")
        ? `${sentence(`${visible(file)} already exists. Add these lines to it:`)}\n\n${lines(text)}`
        : `${sentence(`${visible(file)} already exists and does not run ivrctl. Rename it, then run:`)}\n  ${call} --ci ${ci}`,
    ),
  ].join("\n\n");
}

function settingsWords({ environment, variables, secrets }: Target, ci: string): string {
  const needed = [named("variable", variables), named("secret", secrets)].flat().join(" and ");
  const applies = `The pipeline applies to the environment ${environment}.`;
  return needed === "" ? applies : `${applies} On ${forgeNames[ci] ?? ci}, set ${needed}.`;
}

/** Returns a list in words: `the secrets A, B`. Empty if there are no names. */
function named(what: string, names: readonly string[]): string[] {
  return names.length === 0
    ? []
    : [`the ${what}${names.length === 1 ? "" : "s"} ${names.join(", ")}`];
}

/** The text without comments and blank lines, indented. */
function lines(text: string): string {
  return text
    .split("\n")
    .filter((line) => !/^\s*(?:#|$)/.test(line))
    .map((line) => `  ${line}`)
    .join("\n");
}

/** The next commands, for copying. */
function nextWords({ sandbox, hasAgents }: Made, wordWrap: number, caller: Caller): string {
  const commands = [
    ...(hasAgents ? [] : [["agents pull", "save the agent list, to check agent names"]]),
    ["validate", "check every file"],
    ["plan", "show what apply would do"],
    ["apply", "create the menus and record them in the state"],
  ].slice(0, 3);
  const rows = commands.map(([name = "", what = ""]) => [callOf(name, caller), what] as const);
  const where = sandbox ? "Next, on the embedded sandbox (nothing leaves this machine):" : "Next:";
  return `${wrap(where, "", wordWrap)}\n${twoColumns(rows, wordWrap)}`.trimEnd();
}

/** The command as the user would type it in this folder. */
function callOf(name: string, { globals, host }: Caller): string {
  // With npx, ivrctl is not on the PATH. `--no` keeps npx from installing a package of that name.
  const ivrctl = host.env["npm_command"] === "exec" ? "npx --no -- ivrctl" : "ivrctl";
  const { directory } = globals;
  return `${ivrctl} ${name}${directory === undefined ? "" : ` -C ${shellWord(visible(directory))}`}`;
}
