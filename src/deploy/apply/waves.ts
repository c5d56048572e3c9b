import { referencesIn } from "../plan/links.ts";
import type { LiveMenus } from "../plan/live.ts";
import type { Creating, MenuContent, Updating } from "../plan/plan.ts";
import type { StateView } from "../state/state.ts";

/** What a create sends. If an update adds links to it later, it is sent without them. */
export function firstOf(change: Creating): MenuContent {
  return (change.action === "create" ? change.first : undefined) ?? change.after;
}

/**
 * Creates in groups: each menu comes after those that it leads to, so that their ids are known. The
 * plan has an order like this already, so one pass is enough.
 */
export function wavesOf(creates: readonly Creating[]): Creating[][] {
  const wave = new Map<string, number>();
  const waves: Creating[][] = [];
  for (const change of creates) {
    const targets = referencesIn(firstOf(change));
    const at = Math.max(0, ...targets.map((key) => (wave.get(key) ?? -1) + 1));
    wave.set(change.key, at);
    (waves[at] ??= []).push(change);
  }
  return waves;
}

/** The update that adds its links to a menu of this run. Undefined if the service does not show the menu. */
export function completing(
  { key, name, after }: Creating,
  { keys }: StateView,
  live: LiveMenus,
): Updating | undefined {
  const before = keys.get(key)?.current;
  if (!before?.identified) return undefined;
  const { id } = before.identified;
  const seen = live.see(id, before.payload);
  if (seen.kind !== "listed" || seen.drift.length > 0) return undefined;
  return {
    action: "update",
    key,
    name,
    id,
    before,
    after,
    movedFrom: null,
    webhooks: seen.webhooks,
  };
}
