import { reportUnknown } from "../deploy/state/change.ts";
import { type LiveRecord, type StateView, liveRecords } from "../deploy/state/state.ts";
import { idPattern } from "../schema/common.ts";
import { suggest } from "../util/suggest.ts";
import { UsageError } from "../util/usage-error.ts";
import { saySameId } from "../views/state-changed.ts";
import { type Context, type ExitCode, command } from "../cli/command.ts";
import { recordFlags, writtenText } from "../cli/flags.ts";
import { changeState } from "../cli/state-command.ts";

const flags = {
  ...recordFlags,
  evidence: {
    type: "string",
    value: "TEXT",
    required: true,
    about: "Record in the history where you read the id",
  },
} as const;

export const setId = command({
  takes: "KEY ID --evidence TEXT",
  arguments: {
    KEY: "Menu key, or a follow-up such as F5",
    ID: "The id that the console shows for the menu",
  },
  minArguments: 2,
  maxArguments: 2,
  completes: "recorded key",
  about:
    "Record the id that a menu has on the service.\n\nThe service returns no id when it creates a menu, and a menu that leads to another one needs the id of that one. The id belongs to the recorded menu: its replacement has another id.",
  flags,
  formats: ["text", "json"],
  examples: [
    [
      "ivrctl state set-id sales/india 7926 --evidence 'read on the console'",
      "then apply sends the menus that lead to sales/india",
    ],
  ],
  run: recordId,
});

async function recordId(context: Context<typeof flags>): Promise<ExitCode> {
  const [word = "", id = ""] = context.args;
  const evidence = writtenText(context.flags.evidence, "evidence");
  if (!idPattern.test(id)) {
    throw new UsageError(
      `\`${id}\` cannot be an id. Write only the id, without spaces and \`||\`, for example 7926.`,
    );
  }
  return changeState(context, "state set-id", ({ state, environment, place, diagnostics }) => {
    const found = recordOf(word, state);
    if (found === undefined) {
      if (state.keys.has(word)) {
        diagnostics.addAt(
          "IVR631",
          { file: place },
          `The outcome of ${word} is unknown, so it has no record that an id could belong to.`,
          `Resolve it first. To see how, run: ${suggest("state show", [word], environment)}`,
        );
      } else {
        const describe = () =>
          /^f\d+$/i.test(word)
            ? `${environment} has no open follow-up ${word}, and no record of a menu with this key.`
            : `${word} has no record in the state of ${environment}.`;
        const names = new Set(state.keys.keys());
        reportUnknown([word], names, { place, environment }, describe, diagnostics);
      }
      return "failed";
    }
    const { key, followUp, record } = found;
    const changed = [followUp ?? key];
    if (record.identified?.id === id) {
      if (!context.globals.quiet) saySameId(changed.join(), id, context.terminal);
      return { events: [], changed: [] };
    }
    const other = liveRecords(state).find((one) => one.record.identified?.id === id);
    if (other !== undefined) {
      const whose = other.followUp === null ? other.key : `follow-up ${other.followUp}`;
      diagnostics.addAt(
        "IVR631",
        { file: place },
        `The id ${id} already belongs to ${whose}. Two menus cannot have the same id.`,
        `Check the id on the console. If ${whose} has another id, record that one first.`,
      );
      return "failed";
    }
    return {
      events: [
        {
          kind: "identified",
          key,
          follow_up: followUp,
          id,
          how: "person",
          evidence,
        },
      ],
      changed,
    };
  });
}

/** The record that a word names: an open follow-up, or else the current record of a menu key. */
function recordOf(word: string, state: StateView): LiveRecord | undefined {
  const records = liveRecords(state);
  return (
    records.find(({ followUp }) => followUp === word.toUpperCase()) ??
    records.find(({ key, followUp }) => followUp === null && key === word)
  );
}
