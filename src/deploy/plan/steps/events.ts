import type { StateEvent } from "../../../schema/state.ts";
import { isOld, nameIn } from "../../../schema/ref.ts";
import { type Step, contentWithIds } from "./step.ts";

/** The events of a step that needs no request. `listed` says what the service lists. */
export function recordEvents(step: Step, listed: string): StateEvent[] {
  const { ref, op, from, spare, id = "?", after, links } = step;
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
      if (op === "reword") return [{ kind: "named", key, ...content }];
      const evidence = `menu ${id} has the content of the file (${listed})`;
      return [{ kind: "changed-on-console", key, ...content, evidence }];
    }
    default:
      return [];
  }
}
