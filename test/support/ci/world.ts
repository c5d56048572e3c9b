/*
 * What GitHub or GitLab knows about a repository, in neutral words. github.ts and gitlab.ts present
 * it as their APIs do.
 */

export type Kind = "github" | "gitlab";
export type Occasion = "pull request" | "merge queue" | "push" | "by hand" | "schedule";

export interface World {
  readonly pulls: Pull[];
  readonly jobs: Job[];
  readonly comments: Comment[];
  readonly issues: Issue[];
  /** What commits show, by commit and name. */
  readonly statuses: Map<string, Status>;
}

interface Status {
  readonly state: string;
  readonly words: string;
}

export interface Issue {
  readonly number: number;
  title: string;
  body: string;
  isOpen: boolean;
  by: "the pipeline" | "a stranger";
  readonly labels: readonly string[];
}

export interface Pull {
  readonly number: number;
  readonly branch: string;
  readonly isFork: boolean;
  /** The last commit, and the last commit of main when the pull request was opened. */
  head: string;
  readonly base: string;
  /** The branch that it is for. */
  readonly into: string;
  /** The commit on main, after the merge. */
  merged: string | null;
  mergedAt?: string;
}

/** A run on GitHub, or a job on GitLab. */
export interface Job {
  readonly id: number;
  readonly occasion: Occasion;
  readonly pull: Pull | undefined;
  /** The last commit of the branch, and the commit that is checked out. */
  readonly head: string;
  readonly checkedOut: string;
  /** The last commit of main before the push, or the base of a merge queue. */
  readonly before: string;
  isOver: boolean;
  /** When it ended. */
  ended?: string;
  /** Whether a different job of its run waits for an approval. */
  isWaiting?: boolean;
  /** Whether it waits for a person to start it, on GitLab. */
  isManual?: boolean;
  /** What the job uploaded. */
  artifact: Artifact | undefined;
}

interface Artifact {
  readonly name: string;
  readonly files: ReadonlyMap<string, Buffer>;
}

interface Comment {
  readonly id: number;
  readonly pull: number;
  readonly by: "the pipeline" | "a stranger";
  body: string;
}

/** GitHub or GitLab on this machine. */
export interface Platform {
  readonly token: string;
  /** The user name for git. */
  readonly user: string;
  readonly api: Api;
  /** The variables that a runner sets. */
  variables(job: Job, runner: Runner): Record<string, string>;
  /** The server with the artifacts. GitLab has none. */
  readonly storage?: Api;
}

export interface Runner {
  readonly workspace: string;
  /** A folder of the runner, outside of the workspace. */
  readonly folder: string;
  /** The address of the server with the repository. */
  readonly server: string;
  readonly actor: string;
}

export interface Api {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Says what goes wrong with a request. */
  fault: (asked: Asked) => Fault | undefined;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is bytes. */
  readonly value?: unknown;
}

/** Another answer, or a connection that is cut before or after the request is processed. */
export type Fault = Reply | { readonly cut: "before" | "after" };

export const repository = "acme/phone";

/** Pages are small, so that lists have several. */
const pageSize = 2;

/** Returns a page of a list, with a link to the next one. */
export function page(items: readonly unknown[], { path, query }: Asked, base: string): Reply {
  const number = Number(query.get("page") ?? 1);
  const next = new URL(base + path);
  for (const [name, value] of query) next.searchParams.set(name, value);
  next.searchParams.set("page", String(number + 1));
  const hasMore = items.length > number * pageSize;
  return {
    status: 200,
    value: items.slice((number - 1) * pageSize, number * pageSize),
    headers: hasMore ? { link: `<${next.href}>; rel="next", <${base}>; rel="first"` } : {},
  };
}

/** Answers requests for issues, in the words of a platform. */
export function answerIssues(
  { issues }: World,
  asked: Asked,
  base: string,
  show: (issue: Issue) => unknown,
): Reply {
  const number = Number(/\/issues\/(\d+)$/.exec(asked.path)?.[1]);
  if (asked.method === "GET") {
    const wanted = asked.query.get("labels");
    const found = issues.filter(
      ({ isOpen, labels }) => isOpen && (wanted === null || labels.includes(wanted)),
    );
    return page(found.map(show), asked, base);
  }
  const body = asked.body as Record<string, string>;
  const { title = "", state, state_event: event } = body;
  const text = body["body"] ?? body["description"] ?? "";
  const issue = issues.find((one) => one.number === number);
  if (issue === undefined) {
    const about = { number: issues.length + 1, by: "the pipeline" } as const;
    const labels = [body["labels"] ?? []].flat();
    issues.push({ ...about, title, body: text, isOpen: true, labels });
    return { status: 201 };
  }
  if (state === "closed" || event === "close") issue.isOpen = false;
  else Object.assign(issue, { title, body: text });
  return { status: 200 };
}

export const missing: Reply = { status: 404, value: { message: "Not Found" } };

/** The text of a comment that a client sends. */
export function textOf({ body }: Asked): string {
  if (typeof body !== "object" || body === null || !("body" in body)) return "";
  return String(body.body);
}
