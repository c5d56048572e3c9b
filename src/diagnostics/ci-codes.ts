import { type Code, type CodeText, text } from "./codes.ts";

/** IVR68x: the jobs of a pipeline. */
export const ciCodes = {
  IVR680: text(
    "The job does not have what it needs",
    "`ivrctl ci` runs in a pipeline of GitHub or GitLab. A variable of the pipeline or a token is missing, or the job runs for an event that it does not handle.",
    "Compare your pipeline with the one that `ivrctl init --ci` writes. docs/ci.md explains each job.",
  ),
  IVR681: text(
    "GitHub or GitLab did not do what the job asked for",
    "A request to the API of GitHub or GitLab failed, or its answer is not usable, or `git fetch` of the default branch failed. The message shows the answer and the permission that the token needs.",
    "Give the token the permission, or wait until GitHub or GitLab is available. Then run the job again.",
  ),
  IVR682: text(
    "There is no plan that the job may apply",
    "A job applies only a plan that was made in this repository, for this environment, and that was reviewed.",
    "Open a pull request, or name a run that has a plan. docs/ci.md explains how.",
  ),
  IVR683: text(
    "The state would be lost with the job",
    "The state of this environment is a file in the project. A job starts from a new checkout and is deleted at its end, so it has no earlier state and cannot keep a new one.",
    "Write `state: { backend: git }` for the environment in ivrctl.yaml, or use PostgreSQL or S3.",
  ),
  IVR684: text(
    "Something live needs a person",
    "The scheduled job found what no change of a file caused: a live menu or a phone number was changed on the console, an agent has another extension, a menu has an unknown outcome, or a run has ended without releasing the lock of the state.",
    "Run the commands that the message shows.",
  ),
} satisfies Partial<Record<Code, CodeText>>;
