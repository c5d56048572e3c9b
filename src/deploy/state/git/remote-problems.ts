import { type GitResult, withoutSecrets } from "../../../project/git.ts";
import { StoreUnavailable } from "../retry.ts";
import { StateProblem } from "../lock.ts";

/** The problem of a `git fetch`, `git ls-remote` or `git push` that failed. */
export function remoteProblem(address: string, { exit, stderr }: GitResult): Error {
  if (exit === null) {
    return lost(`git had no answer from ${address} for a minute.`);
  }
  const reason = firstLine(stderr);
  if (denied.test(stderr)) {
    return new StateProblem(
      "IVR604",
      `${address} refuses access: ${reason}`,
      "Check that your credentials for git can read and push to this repository. `git push` with the same remote must work without a question.",
    );
  }
  if (absent.test(stderr)) {
    return new StateProblem(
      "IVR604",
      `${address} is not a repository that git can use: ${reason}`,
      "Check `remote:` under `state:`, and `git remote -v`.",
    );
  }
  return lost(`git cannot reach ${address}: ${reason}`, "Check the network, and `git remote -v`.");
}

/** The problem of a push that the server or one of its rules refused. */
export function refusedPush(address: string, reason: string, stderr: string): Error {
  // Another push to the same branch was under way.
  if (/cannot lock ref|failed to (?:update|lock) ref|reference already exists/i.test(reason)) {
    return lost(`${address} could not update the branch: ${reason}`);
  }
  const [said] = [...stderr.matchAll(/^remote:\s*(.*\S)/gm)].map(([, line]) => line);
  return new StateProblem(
    "IVR604",
    `${address} refuses the push: ${reason}${said === undefined ? "" : ` (${said})`}.`,
    "Allow the account that runs ivrctl to push to this branch. Rules that demand reviews, signatures or status checks must not apply to it.",
  );
}

const denied =
  /Authentication failed|could not read (?:Username|Password)|Permission (?:to \S+ )?denied|returned error: 40[13]|Invalid username or password|access denied|not allowed to push/i;

const absent =
  /does not appear to be a git repository|repository '?[^']*'? not found|Repository not found|not a git repository|No such remote|returned error: 404/i;

function lost(message: string, hint?: string): StoreUnavailable {
  return new StoreUnavailable("IVR671", message, hint);
}

/** Returns the first line that git printed about a failure, without credentials in addresses. */
export function firstLine(stderr: string): string {
  const lines = withoutSecrets(stderr)
    .split("\n")
    .map((line) => line.replace(/^(?:fatal|error|remote):\s*/, "").trim());
  return lines.find((line) => line !== "") ?? "it printed no reason";
}
