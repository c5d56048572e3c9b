import * as z from "zod/mini";
import { Confirmed, EntrySchema, EventSchema, PendingBind } from "../state.ts";
import {
  type Content,
  MenuJson,
  about,
  environment,
  followUps,
  identified,
  listOf,
  mattersList,
  output,
  request,
  shared,
  state,
  text,
  textOrNull,
} from "./shared-fields.ts";

shared("event", "What happened.", EventSchema);

const { created_at, settled } = Confirmed.shape;

const Key = shared(
  "key",
  "What is on record about a menu.",
  z.strictObject({
    key: text("The key of the menu."),
    name: text("The name of the menu."),
    status: about("Whether the outcome of a request is unknown.", z.enum(["live", "unknown"])),
    current: about(
      "The menu that exists on the service.",
      z.nullable(z.strictObject({ menu: MenuJson, created_at, settled, identified })),
    ),
    pending: about(
      "The request whose outcome is unknown. Null if there is none, or if its record was lost with the state.",
      z.nullable(z.strictObject({ menu: MenuJson, ...request })),
    ),
    binds: z.optional(
      listOf(
        "The phone numbers whose outcomes are unknown.",
        z.omit(PendingBind, { key: true, intent: true, action: true }),
      ),
    ),
  }),
);

const address = textOrNull("The address of the service. Null if there is no state yet.");

export const StateListOutput = output("state list", {
  environment,
  place: textOrNull("Where the state is kept."),
  address,
  state,
  keys: listOf("All menus on record, sorted by key.", Key),
  follow_ups: followUps,
  matters: mattersList,
  lock: about(
    "Who holds the lock, also if that process has ended. Null if nobody does.",
    z.nullable(
      z.strictObject({
        id: text("The id that `ivrctl unlock` takes."),
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
  environment,
  address,
  state,
  keys: listOf("The menus that were asked for.", Key),
  follow_ups: followUps,
});

export const StateHistoryOutput = output("state history", {
  environment,
  entries: listOf("The events, the oldest first.", EntrySchema),
});

export type StateListContent = Content<typeof StateListOutput>;
export type StateShowContent = Content<typeof StateShowOutput>;
export type StateHistoryContent = Content<typeof StateHistoryOutput>;
export type KeyOutput = z.infer<typeof Key>;
