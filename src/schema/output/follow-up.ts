import * as z from "zod/mini";
import { Confirmed, FollowUp, Pending } from "../state.ts";
import { MenuJson } from "./menu.ts";
import { documented, jsonListOf, jsonText, shared } from "./shared-fields.ts";

const { action, sent_at, until, seen } = Pending.shape;

/** A request with an unknown outcome. */
export const request = { action, sent_at, until, seen };

export const identifiedJson = documented(
  "The id of the menu on the service, and how it was learned. Null if it is not known.",
  z.nullable(
    shared(
      "identified",
      "An id, and who learned it how.",
      z.nonoptional(Confirmed.shape.identified),
    ),
  ),
);

const { id, key, reason, created_at } = FollowUp.shape;

const FollowUpJson = shared(
  "follow-up",
  "An old menu that still exists on the service.",
  z.strictObject({
    id,
    key,
    name: jsonText("The name of the old menu."),
    reason,
    created_at,
    menu: MenuJson,
    identified: identifiedJson,
    pending: z.optional(
      documented(
        "A request to delete the menu, whose outcome is unknown.",
        z.strictObject(request),
      ),
    ),
  }),
);

export const followUps = jsonListOf("The open follow-ups, the oldest first.", FollowUpJson);

export type FollowUpOutput = z.infer<typeof FollowUpJson>;
