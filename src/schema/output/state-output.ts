import * as z from "zod/mini";
import { Confirmed, EntrySchema, EventSchema, PendingBind } from "../state.ts";
import { RecipeSchema } from "../menu-record.ts";
import {
  type OwnContent,
  documented,
  environmentField,
  jsonListOf,
  mattersList,
  output,
  shared,
  state,
  jsonText,
  textOrNull,
} from "./shared-fields.ts";
import { followUps, identifiedJson, request } from "./follow-up.ts";
import { MenuJson } from "./menu.ts";

/** Events whose menus are as commands print them. */
function withMenuJson(event: z.core.SomeType): z.ZodMiniType {
  if (event instanceof z.ZodMiniDiscriminatedUnion) {
    return z.union(event._zod.def.options.map(withMenuJson));
  }
  if (!(event instanceof z.ZodMiniObject)) throw new TypeError("An event is an object.");
  return "menu" in event.shape ? z.extend(event, { menu: MenuJson }) : event;
}

const EntryJson = z.extend(EntrySchema, {
  event: shared("event", "What happened.", withMenuJson(EventSchema)),
});

const { created_at, settled } = Confirmed.shape;

const Recorded = shared(
  "recorded",
  "The record of a menu.",
  z.strictObject({
    key: jsonText("The key of the menu."),
    name: jsonText("The name of the menu."),
    status: documented(
      "Unknown: the outcome of a request is. Recorded: a person said so, and no answer, list or id proves it.",
      z.enum(["live", "recorded", "unknown"]),
    ),
    current: documented(
      "The menu that exists on the service.",
      z.nullable(
        z.strictObject({ menu: MenuJson, created_at, settled, identified: identifiedJson }),
      ),
    ),
    pending: documented(
      "The request whose outcome is unknown. Null if there is none, or if its record was lost with the state.",
      z.nullable(z.strictObject({ menu: MenuJson, ...request })),
    ),
    bind: z.optional(
      jsonListOf(
        "The phone numbers whose outcomes are unknown.",
        z.omit(PendingBind, { key: true, intent: true, action: true }),
      ),
    ),
  }),
);

const MadeRecordingJson = shared(
  "made-recording",
  "A recording that apply made from a text or an audio file.",
  z.strictObject({
    name: jsonText("Its name on the service."),
    status: documented(
      "Whether its id is known, and whether the outcome of its request is unknown.",
      z.enum(["ready", "waiting", "unknown"]),
    ),
    make: documented("What it was made from.", z.nonoptional(RecipeSchema)),
    created_at: textOrNull("When the service confirmed the request."),
    batch: textOrNull("What the service is asked with for the id."),
    identified: identifiedJson,
  }),
);

const recordings = z.optional(
  jsonListOf("The recordings that apply made. Absent if there are none.", MadeRecordingJson),
);

const address = textOrNull("The address of the service. Null if there is no state yet.");

export const StateListOutput = output("state list", {
  environment: environmentField,
  place: textOrNull("Where the state is kept."),
  address,
  state,
  menus: jsonListOf("All recorded menus, sorted by key.", Recorded),
  recordings,
  follow_ups: followUps,
  matters: mattersList,
  lock: documented(
    "Who holds the lock, also if that process has ended. Null if nobody does.",
    z.nullable(
      z.strictObject({
        id: jsonText("The id that `ivrctl unlock` takes."),
        by: z.string(),
        command: z.string(),
        since: z.string(),
        host: z.string(),
        pid: z.nullable(z.int()),
        has_ended: z.boolean(),
      }),
    ),
  ),
});

export const StateShowOutput = output("state show", {
  environment: environmentField,
  address,
  state,
  menus: jsonListOf("The menus that were asked for.", Recorded),
  recordings,
  follow_ups: followUps,
});

export const StateHistoryOutput = output("state history", {
  environment: environmentField,
  entries: jsonListOf("The events, the oldest first.", EntryJson),
});

export type StateListContent = OwnContent<typeof StateListOutput>;
export type StateShowContent = OwnContent<typeof StateShowOutput>;
export type StateHistoryContent = OwnContent<typeof StateHistoryOutput>;
export type MadeRecordingOutput = z.infer<typeof MadeRecordingJson>;
export type RecordedOutput = z.infer<typeof Recorded>;
