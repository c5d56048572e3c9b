import { isDeepStrictEqual } from "node:util";
import { between } from "../plan/console-changes.ts";
import type { LiveMenus } from "../plan/live.ts";
import type { Deleting, Updating } from "../plan/plan.ts";
import type { Result } from "./results.ts";

/** Why a menu is left alone. */
export type Refusal = Pick<Result, "outcome" | "message" | "changed">;

/**
 * Why an update or a delete is not sent: the service has other content than the plan was compared with.
 * Undefined if it can be sent.
 */
export function changedSince(
  { id, before, drift, webhooks }: Updating | Deleting,
  live: LiveMenus,
): Refusal | undefined {
  const seen = live.see(id, before.payload);
  const outcome = "not_attempted";
  if (seen.kind === "missing") {
    return { outcome, message: `the service does not list menu ${id} any more`, changed: [] };
  }
  if (seen.kind === "unreadable") {
    return { outcome, message: `the list cannot be read: ${seen.problem}`, changed: [] };
  }
  const changed = between(drift?.differences ?? [], seen.drift);
  if (changed.length > 0) {
    return {
      outcome,
      message: "somebody changed it on the console since the plan was made",
      changed,
    };
  }
  return isDeepStrictEqual(webhooks, seen.webhooks)
    ? undefined
    : { outcome, message: "its webhooks changed on the console since the plan was made", changed };
}
