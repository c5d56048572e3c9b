import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { FollowUp, StateEvent } from "../../schema/state.ts";
import { listed, many } from "../../util/many.ts";
import { type Hint, suggest, suggestId } from "../../util/suggest.ts";
import type { Endpoint } from "../service/connect.ts";
import type { StateView } from "../state/state.ts";
import { guardDeletes, missingFollowUps, missingIn, reportCutOff } from "./deletes.ts";
import { among, type Lesson } from "./learn.ts";
import type { LiveMenus } from "./live.ts";
import type { LiveNumbers } from "./live-numbers.ts";
import type { Deleting, Plan } from "./plan.ts";

interface Input {
  readonly endpoint: Pick<Endpoint, "environment" | "identity">;
  /** The state with what the list proves. */
  readonly state: StateView;
  readonly lesson: Lesson;
  readonly live: LiveMenus;
  readonly numbers: LiveNumbers;
  /** The follow-ups that the user named by their ids. */
  readonly named: ReadonlySet<string>;
  /** Problems with follow-ups are reported at this file. */
  readonly place: string;
}

export interface OldMenus {
  /** Deletes menus of follow-ups, and does nothing else. */
  readonly plan: Plan;
  /** Follow-ups whose menus are gone already, so that they are only marked as done. */
  readonly gone: readonly FollowUp[];
}

/** Plans to delete the menus of follow-ups. Reports those that cannot be deleted. */
export function planOldMenus(
  followUps: readonly FollowUp[],
  input: Input,
  diagnostics: Diagnostics,
): OldMenus {
  const { endpoint, state, lesson, live, named, place } = input;
  const { environment } = endpoint;
  const changes: Deleting[] = [];
  const gone: FollowUp[] = [];
  for (const followUp of followUps) {
    const { id: key, key: followUpOf, record: before } = followUp;
    const id = before.identified?.id;
    const refuse = (problem: string, help: Hint) =>
      diagnostics.addAt("IVR631", { file: place }, `${key} cannot be deleted: ${problem}.`, help);
    if (followUp.pending !== undefined) {
      const help = {
        words: "Look for the menu on the console. To see how to resolve it, run:",
        argv: suggest("state show", [followUpOf], environment),
      };
      refuse("the outcome of an earlier delete is unknown", help);
      continue;
    }
    if (id === undefined) {
      const help = {
        words: "Find its id on the console, and record it:",
        argv: suggestId([`${key}=ID`], environment),
      };
      refuse("the id of the menu is not on record", help);
      continue;
    }
    const seen = live.see(id, before.payload);
    if (seen.kind === "missing") gone.push(followUp);
    else if (seen.kind === "unreadable") {
      refuse(`ivrctl does not understand its record in the list (${seen.problem})`, {
        words: "Delete it on the console. Then run:",
        argv: suggest("state done", [key], environment),
      });
    } else {
      const { drift: differences, webhooks } = seen;
      const { name } = before.payload;
      const naming = { agents: [], recordings: {}, purposes: {} };
      const drift = differences.length === 0 ? {} : { drift: { differences, naming } };
      changes.push({ action: "delete", key, name, id, before, ...drift, webhooks, followUpOf });
    }
  }
  const chosen = new Set(followUps.map(({ id }) => id));
  const others = missingFollowUps(state, live).filter((id) => !chosen.has(id));
  reportCutOff(missingIn(state, live), others, environment, diagnostics);
  // One menu that somebody deleted on the console is what users expect.
  const suspicious = gone.filter(({ id }) => !named.has(id));
  if (suspicious.length > 1) reportGone(gone, input, diagnostics);
  guardDeletes(changes, { ...input, environment }, diagnostics);
  return {
    plan: {
      environment,
      address: endpoint.identity,
      state: { lineage: state.origin?.lineage ?? null, serial: state.serial, head: state.head },
      changes,
      unchanged: 0,
      named: [],
      followUps: [],
      list: { menus: live.count, at: live.at },
      learned: [...lesson.events, ...gone.map((followUp) => doneEvent(followUp, live))],
    },
    gone,
  };
}

/** Reports several menus that the service does not list: the list may be cut off. */
function reportGone(
  gone: readonly FollowUp[],
  { endpoint, place }: Input,
  diagnostics: Diagnostics,
): void {
  const ids = gone.map(({ id }) => id);
  diagnostics.addAt(
    "IVR635",
    { file: place },
    `The service does not list the menus of ${many(ids.length, "follow-up")}: ${listed(ids)}.`,
    {
      words:
        "A list that is cut off looks like that. Check on the console that they are gone. Then name each of them:",
      argv: suggest("state done", ids, endpoint.environment, ["--delete"]),
    },
  );
}

function doneEvent({ id, record }: FollowUp, live: LiveMenus): StateEvent {
  const evidence = `menu ${record.identified?.id ?? "?"} is not among ${among(live)}`;
  return { kind: "done", follow_up: id, evidence };
}
