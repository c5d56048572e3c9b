import { destinationToSend } from "../../compile/menu-to-send.ts";
import type { ResolvedOption } from "../../compile/compiled-menu.ts";
import { plainName } from "../../model/field-words.ts";
import { identityOf } from "../../model/menu.ts";
import { menuRule } from "../rule.ts";
import { inMenu } from "./shared.ts";

export const sameDestinationTwice = menuRule({
  name: "same-destination-twice",
  code: "IVR708",
  severity: "info",
  options: {},
  check(menu, { report }) {
    const first = new Map<string, ResolvedOption>();
    for (const option of menu.options ?? []) {
      const { destination } = option;
      const to = destinationToSend(destination?.value);
      if (destination === undefined || to === undefined) continue;
      const id = identityOf(to);
      const earlier = first.get(id);
      if (earlier === undefined) {
        first.set(id, option);
        continue;
      }
      const who = plainName(to);
      const place =
        destination.at.source === menu.top.source
          ? destination.at
          : (earlier.destination?.at ?? destination.at);
      report(inMenu(menu, place), `Keys ${earlier.key} and ${option.key} both go to ${who}.`, {
        words: "Correct one of the two. If both are intended, add this comment to the line:",
        command: "# ivrctl-ignore: same-destination-twice",
      });
    }
  },
});
