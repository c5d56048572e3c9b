import { basename } from "node:path";
import type { ForgeName, Written } from "../init/templates.ts";
import { type Page, visible } from "./terminal.ts";
import { twoColumns } from "./text.ts";

interface Made {
  readonly project: Written;
  /** Undefined if the user asked for none. */
  readonly pipeline: (Written & Pipeline) | undefined;
  /** Whether init wrote ivrctl.yaml, so that the default environment is the sandbox. */
  readonly isNew: boolean;
  readonly hasAgents: boolean;
}

interface Pipeline {
  readonly forge: ForgeName;
  /** The file with the settings at its top. */
  readonly settings: string;
  /** The path from the top of the repository to the project. */
  readonly directory: string;
  /** The default branch in the file, if nothing says which one it is. */
  readonly guessed: string | undefined;
  /** Returns a text with the variables that the configuration uses. */
  readonly named: (text: string) => string;
}

/** What was written, and what was kept. */
export function madeText({ project, pipeline }: Made, { style }: Page): string {
  const all = [project, pipeline ?? { created: [], kept: [] }];
  return [
    ...all.flatMap(({ created }) => created.map((file) => [style("green", "created"), file])),
    ...all.flatMap(({ kept }) => kept.map((file) => ["kept   ", file])),
  ]
    .map(([word = "", file = ""]) => `${word}  ${visible(file)}\n`)
    .join("");
}

export function nextText(made: Made, { command, wordWrap }: Page): string {
  const { project, pipeline, isNew, hasAgents } = made;
  const isComplete = project.created.length + (pipeline?.created.length ?? 0) === 0;
  const commands: readonly [name: string, what: string][] = [
    ["agents pull", "save the agent list, to check agent names"],
    ["validate", "check every file"],
    ["plan", "show what apply would do"],
    ["apply", "create the menus and record them in the state"],
  ];
  const rows = commands
    .slice(hasAgents ? 1 : 0, hasAgents ? 4 : 3)
    .map(([name, what]) => [command(name.split(" ")), what] as const);
  return [
    isComplete ? "Every file exists already. Nothing was written.\n" : "",
    project.kept.includes(".gitignore")
      ? "Check that .gitignore has the line `.ivrctl/`, so that git ignores the state.\n"
      : "",
    pipeline === undefined
      ? ""
      : `Before the pipeline works:\n${stepsFor(pipeline, made).join("\n")}\n`,
    `${isNew ? "Next, on the embedded sandbox (nothing leaves this machine):" : "Next:"}\n${twoColumns(rows, wordWrap)}`,
  ]
    .map((part) => (part === "" ? "" : `\n${part}`))
    .join("");
}

/** What a person must do before the pipeline works. init does not look whether it is done. */
function stepsFor(
  { forge, settings, directory, kept, guessed, named }: Pipeline & Written,
  made: Made,
): string[] {
  const isKept = kept.includes(settings);
  const folder =
    directory === "." || !isKept ? "" : ` IVRCTL_DIRECTORY must be "${visible(directory)}".`;
  return [
    `Check the values at the top of ${visible(settings)}.${folder}`,
    // GitLab has a variable for it.
    ...(guessed === undefined || isKept || forge === "gitlab"
      ? []
      : [
          `Check \`branches:\` there. It has \`${guessed}\`, because this clone does not know the default branch (\`git remote set-head origin --auto\`).`,
        ]),
    ...(forge === "gitlab" && !settings.endsWith(".gitlab-ci.yml")
      ? [`Add \`- local: .gitlab/${basename(settings)}\` to \`include:\` in .gitlab-ci.yml.`]
      : forge === "gitlab" && isKept
        ? [
            "Include .gitlab/ivrctl.yml there, with the variables that `ivrctl explain ci` shows. Its jobs run in the stage `test`: if there is `stages:`, it must have that one.",
          ]
        : []),
    made.isNew
      ? "In ivrctl.yaml, remove the `#` before `state:`."
      : "In ivrctl.yaml, set a shared backend under `state:`.",
    "Initialize the state, if there is none: set TELEPHONY_BASE_URL on this machine, run `ivrctl state init --env production`, and commit ivrctl.yaml.",
    "Add ivrctl to package-lock.json, from a file or a registry of your own.",
    ...toSet[forge],
    "With a state in PostgreSQL or S3, give all jobs the backend's variables too.",
    "For an explanation of each step, run `ivrctl explain ci`.",
  ].map((line, index) => `${index + 1}. ${named(line)}`);
}

/** Every variable and token that a pipeline needs. */
const toSet: Readonly<Record<Pipeline["forge"], readonly string[]>> = {
  github: [
    "Settings → Secrets and variables → Actions: add the variable TELEPHONY_BASE_URL.",
    "Settings → Environments → production: add the secret TELEPHONY_TOKEN, set who approves, and allow only the default branch.",
    "Settings → Secrets and variables → Actions: add the secret TELEPHONY_READ_TOKEN of the repository, for the daily check, and `read_token:` in ivrctl.yaml. GitHub provides the token for the repository itself.",
  ],
  gitlab: [
    "Settings → Access tokens: create two project access tokens with the role Developer: one with the scopes api and read_repository, and one with api and write_repository.",
    "Settings → CI/CD → Variables: add TELEPHONY_BASE_URL, TELEPHONY_TOKEN (masked and protected), IVRCTL_GITLAB_TOKEN (masked, the first token), and IVRCTL_GITLAB_TOKEN for the environment `production` (masked and protected, the second token).",
    "Optional, for `read_token:`: TELEPHONY_READ_TOKEN (masked).",
    "Build → Pipeline schedules: add one per day, with the variable IVRCTL_CHECK set to `true`.",
  ],
};
