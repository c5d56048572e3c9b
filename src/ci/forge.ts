import type { Code } from "../diagnostics/codes.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Hint } from "../util/suggest.ts";
import type { Variables } from "../project/environment-variables.ts";
import type { Status } from "../views/pipeline.ts";
import type { TestReport } from "../views/test/test-report.ts";

/** What the jobs need from GitHub or GitLab. */
export interface Forge {
  readonly name: "GitHub" | "GitLab";
  /** What the platform calls a pull request. */
  readonly request: "pull request" | "merge request";
  /** Distinguishes this pipeline from others in the repository. */
  readonly workflow: string;
  /** The workspace of the job: the top of the repository, or a folder above it. */
  readonly top: string;
  /** The commit that this run is about. */
  readonly commit: string;
  /** The number of this run on GitHub, or of this job on GitLab. */
  readonly id: string;
  /** The addresses of this run, of the files that it keeps, and of the page with its Markdown. */
  readonly run: string;
  readonly kept: string;
  readonly page: string;
  /** Who started this run. */
  readonly actor: string;
  /** The id of the lock that this run takes. `hasEnded` understands it. */
  readonly lockId: string;
  /** Variables that give git the token of this run. */
  readonly gitVariables: Variables;
  /** The file with the Markdown for the page of the run, and the file with values for later steps. */
  readonly summaryFile: string | undefined;
  readonly outputFile: string | undefined;
  /** The branch of this run, the default branch, and the commit before the push. */
  readonly branch: string | undefined;
  readonly defaultBranch: string;
  readonly before: string | undefined;
  /** How a person applies the plan of a run, in words. */
  byHand(id: string): string;
  /** Why no job runs after a merge, and what to do. Absent if the file of the pipeline names no branch. */
  unheard?(): readonly [message: string, hint: string] | undefined;
  /** The change under review. */
  review(): Review;
  /** A pull request as it is now. A run may be older. */
  pull(number: number): Promise<Pull>;
  /** The newest open pull requests for the default branch. */
  openPulls(): Promise<readonly Pull[]>;
  /** The number of a pull request in the message of the commit that merged it. */
  namedIn(message: string): number | undefined;
  /** The merged pull requests that this commit belongs to. */
  mergedWith(commit: string): Promise<readonly Pull[]>;
  /** Shows a line at a commit. Absent if the platform would let that line decide about the merge. */
  setStatus?(commit: string, name: string, status: Status): Promise<void>;
  /** The files that the pull request job left for the last commit of a pull request. */
  reviewed(pull: Pull, names: Artifacts): Promise<Reviewed>;
  /** The files that a run left. Undefined if the run is not for a branch of this repository. */
  reviewedIn(run: string, names: Artifacts): Promise<Reviewed | undefined>;
  /**
   * What this account wrote: comments on a pull request or, without one, open issues with the label of
   * ivrctl. Anyone can write something that looks like it.
   */
  ownPosts(
    pull: number | undefined,
  ): Promise<readonly { readonly id: number; readonly body: string }[]>;
  /** Changes a comment or an issue. Without an id, writes a new one. */
  write(pull: number | undefined, id: number | undefined, post: Post): Promise<void>;
  /** Marks lines with problems and failed tests. Returns the lines to print for that. */
  annotate(
    place: { readonly prefix: string; readonly work: string },
    diagnostics: readonly Diagnostic[],
    report: TestReport,
  ): string;
  /** Whether the run that holds a lock has ended; undefined if that is unknown. */
  hasEnded(lockId: string): Promise<boolean | undefined>;
  close(): Promise<void>;
}

/** A change under review. */
export interface Review {
  /** Undefined in a merge queue, which has no pull request to comment on. */
  readonly pull: number | undefined;
  /** The pull request that a merge queue checks once more. */
  readonly queued?: number | undefined;
  /** Why it has no access to secrets and state; undefined if it has. */
  readonly untrusted: string | undefined;
  /** The commit that the change is compared with, and the last commit of the change. */
  readonly base: string;
  readonly head: string;
}

/** A comment, an issue, or that an issue is closed. */
export type Post = { readonly title?: string; readonly body: string } | "closed";

/** A pull request. */
export interface Pull {
  readonly number: number;
  /** The commits on the default branch that it was merged as, if it is. A rebase or fast-forward adds more. */
  readonly mergedAs: readonly string[];
  /** When it was merged, if it is. */
  readonly mergedAt: string | undefined;
  /** The branch that it is for. */
  readonly into: string;
  /** Its last commit. */
  readonly head: string;
  readonly isFork: boolean;
}

/**
 * The names of the artifacts with plans for review, and with plans that an apply offers. Several jobs of
 * a run can apply, so the second contains the environment.
 */
interface Artifacts {
  readonly review: string;
  readonly offer: string;
}

/** The files that a job left, with the run and when it left them. Or why there are none, as a sentence. */
export type Reviewed =
  | { readonly run: string; readonly at: string; readonly file: ReadFile }
  | string;

type ReadFile = (name: string) => Promise<Buffer | undefined>;

/** The folder for the files of a job, which the pipeline keeps. */
export const workFolder = "ivrctl-ci";

/** The label of the issues that the check writes. It reads no others. Both platforms create it. */
export const issueLabel = "ivrctl";

/** Why a job of a pipeline cannot go on. It is shown as a diagnostic. */
export class JobProblem extends Error {
  readonly code: Code;
  readonly hint: Hint | undefined;
  /** Whether a request may have created something all the same. */
  readonly mayBeDone: boolean;

  constructor(code: Code, message: string, hint?: Hint, mayBeDone = false) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.mayBeDone = mayBeDone;
  }

  /** The problem as a diagnostic about a file or a platform. */
  diagnostics(file: string): readonly Diagnostic[] {
    const found = new Diagnostics();
    found.addFile(this.code, file, this.message, this.hint);
    return found.sorted();
  }
}

/** Waits for something, and returns what is wrong with the job instead of throwing it. */
export function problemOr<T>(act: Promise<T>): Promise<T | JobProblem> {
  return act.catch((error: unknown) => {
    if (error instanceof JobProblem) return error;
    throw error;
  });
}

/** Returns a variable that every job has. The default hint is for one that the platform sets. */
export function neededVariable(
  env: Variables,
  name: string,
  hint = "The platform sets it for each job. Pass it on if the job runs in a container.",
): string {
  const value = env[name];
  if (value) return value;
  throw new JobProblem("IVR680", `The variable ${name} is not set.`, hint);
}
