import { expect, test } from "vitest";
import { type MenuContent, intentsOf } from "../../../src/deploy/plan/plan.ts";
import { stateVersion } from "../../../src/schema/state.ts";
import { made } from "../state/events.ts";

// Older versions of ivrctl refuse a state because of the version of an event. Without one, they
// would report an event that they do not know as damage.
test("an intent has a version if an older ivrctl does not know a part of it", () => {
  const after = made("a");
  const versionOf = (sent: MenuContent, listed?: readonly string[]) => {
    const change = { action: "create", key: "a", name: "A", after } as const;
    const [intent] = intentsOf(change, { isFirst: true, until: "", content: sent, listed });
    return intent?.kind === "intent" ? intent.version : expect.unreachable();
  };
  expect(versionOf(after)).toBeUndefined();
  expect(versionOf(after, [])).toBe(stateVersion);
  const naming = { ...after.naming, numbers: ["+912241234567"] };
  expect(versionOf({ ...after, naming })).toBe(stateVersion);
});
