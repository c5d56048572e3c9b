import type { OriginOf } from "../deploy/plan/applied-commit.ts";
import type { Audience } from "../views/terminal.ts";
import type { Project, ProjectPlace } from "../workspace/open-project.ts";

/** Who asks for an operation: a command, a job of a pipeline or an editor. Without anything of a command line. */
export interface Caller extends ProjectPlace, Audience {
  readonly globals: ProjectPlace["globals"] & Audience["globals"];
  /** Returns the project as its repository has it now, if the checkout may be outdated. */
  readonly latest?: (project: Project) => Promise<Project>;
  /** Set if a platform knows which pull request a commit is from. */
  readonly originOf?: OriginOf;
  /**
   * Set if nothing may write to the service. In a job, a plan uses the token that can only read. Without
   * one, it uses no token (`review`), or that of the environment (`check`). `offline`: a plan uses no
   * token at all, and only a state in files.
   */
  readonly reads?: "review" | "check" | "offline";
}
