import type { StateEvent } from "../../../schema/state.ts";
import { isOld, nameIn } from "../../../schema/ref.ts";
import type { Menu } from "../../../model/menu.ts";
import { isDeepStrictEqual } from "node:util";
import type { Content } from "../../listed/observed.ts";
import { type PlanLimits, type Step, contentWithIds } from "./step.ts";

type Operations = Pick<PlanLimits, "operations">;

/**
 * The events of a step that needs no request. `listed` says what the service lists.
 */
export function recordEvents(step: Step, listed: string, limits: Operations): StateEvent[] {
  const { ref, op, from, spare, id = "?", base, after, links } = step;
  const key = nameIn(ref);
  switch (op) {
    case "move":
      return from === undefined ? [] : [{ kind: "moved", key, from: nameIn(from) }];
    case "forget":
      return [{ kind: "removed", key }];
    case "drop": {
      if (isOld(ref)) {
        return [{ kind: "done", follow_up: key, evidence: `menu ${id} is not among ${listed}` }];
      }
      const gone = `the service no longer lists menu ${id}`;
      const evidence = after
        ? `${gone}, and recreating it was allowed`
        : `its file was deleted, and ${gone}`;
      return [{ kind: "dropped", key, evidence }];
    }
    case "restore":
      return spare === undefined ? [] : [{ kind: "restored", key, follow_up: nameIn(spare) }];
    case "reword":
    case "match": {
      const content = after && contentWithIds(after, (to) => links[to]);
      if (content === undefined || !("menu" in content)) return [];
      const how = byHand(content.menu, base, limits);
      if (op === "reword") return [{ kind: "named", key, ...content, ...how }];
      const evidence = `menu ${id} has the content of the file (${listed})`;
      return [{ kind: "changed-on-console", key, ...content, ...how, evidence }];
    }
    default:
      return [];
  }
}

/** Marks that the menu gets other phone numbers, and that a person has to point them. */
export function byHand(
  { numbers }: Menu,
  before: Content | undefined,
  { operations }: Operations,
): { by_hand?: true } {
  const recorded = before && "menu" in before ? before.menu.numbers : undefined;
  return operations.has("numbers") || isDeepStrictEqual(numbers, recorded) ? {} : { by_hand: true };
}
