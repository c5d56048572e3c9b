import type { RuleAbout } from "../rule.ts";
import { avaya } from "./shared.ts";

export const renumbered: RuleAbout<"change"> = {
  subject: "change",
  name: "renumbered",
  code: "IVR711",
  severity: "info",
  options: {},
  source: `${avaya}: after a change, consider an announcement in the greeting.`,
  check({ before, after }, { report }) {
    for (const { key, destination, who, for: purpose, at } of after) {
      const old = before.get(key);
      if (old === undefined || old.destination === destination) continue;
      // The old destination may be known only by its id, which may be that of the same menu.
      if (old.destination.startsWith("menu #") && destination.startsWith("menu ")) continue;
      // Callers do not notice a different agent who answers for the same purpose.
      if (purpose !== undefined && purpose === old.for) continue;
      const [was, is] = [named(old.who, old.for), named(who, purpose)];
      // Callers do not notice a new extension of the same agent.
      if (was === is) continue;
      report(
        at,
        `Key ${key} went to ${was}. Now it goes to ${is}.`,
        "Consider announcing the change at the start of the prompt.",
      );
    }
  },
};

function named(who: string, purpose: string | undefined): string {
  return purpose === undefined ? who : `${who} (${purpose})`;
}
