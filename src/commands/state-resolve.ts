import { reportUnknown } from "../deploy/state/change.ts";
import { type Context, type ExitCode, command } from "../cli/command.ts";
import { recordFlags, writtenText } from "../cli/flags.ts";
import { changeState } from "../cli/state-command.ts";
import { UsageError } from "../util/usage-error.ts";

const resolveFlags = {
  created: {
    type: "boolean",
    conflicts: "absent",
    about: "Record that the console shows the menu",
  },
  absent: { type: "boolean", about: "Record that the console does not show the menu" },
  ...recordFlags,
} as const;

export const resolve = command({
  takes: "KEY… --created|--absent",
  arguments: { "KEY…": "Menu keys whose outcome is unknown" },
  minArguments: 1,
  completes: "recorded key",
  about:
    "Record whether menus with an unknown outcome were created.\n\nLook at the console first: --created if it shows the menu, --absent if it does not.",
  flags: resolveFlags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl state resolve front-desk --created", "the console shows the menu"],
    [
      "ivrctl state resolve sales night --absent --evidence 'ticket 4711'",
      "the console shows neither menu",
    ],
  ],
  run: resolveOutcomes,
});

export const done = command({
  takes: "ID…",
  arguments: { "ID…": "Follow-ups, as `ivrctl state list` shows them" },
  minArguments: 1,
  completes: "follow-up",
  about: "Mark follow-ups as done.\n\nA follow-up is done when the old menu is out of service.",
  flags: recordFlags,
  formats: ["text", "json"],
  examples: [["ivrctl state done F12 --evidence 'ticket 4711'", "mark a follow-up as done"]],
  run: markDone,
});

async function resolveOutcomes(context: Context<typeof resolveFlags>): Promise<ExitCode> {
  const { created, absent } = context.flags;
  if (!created && !absent) {
    throw new UsageError(
      "Add --created if the console shows the menu, or --absent if it does not.",
    );
  }
  const as = created ? "created" : "absent";
  const evidence = writtenText(context.flags.evidence, "evidence") ?? null;
  const changed = [...new Set(context.args)];
  return changeState(context, "state resolve", ({ state, environment, place, diagnostics }) => {
    const unknown = [...state.keys].flatMap(([key, { pending }]) => (pending ? key : []));
    const describe = (key: string) =>
      state.keys.has(key)
        ? `The outcome of ${key} is already known, so there is nothing to resolve.`
        : `${key} has no record in the state of ${environment}.`;
    reportUnknown(changed, new Set(unknown), { place, environment }, describe, diagnostics);
    return { events: changed.map((key) => ({ kind: "resolved", key, as, evidence })), changed };
  });
}

const maxListed = 10;

async function markDone(context: Context<typeof recordFlags>): Promise<ExitCode> {
  const evidence = writtenText(context.flags.evidence, "evidence") ?? null;
  const changed = [...new Set(context.args.map((id) => id.toUpperCase()))];
  return changeState(context, "state done", ({ state, environment, place, diagnostics }) => {
    const open = [...state.followUps.keys()];
    const more = open.length > maxListed ? ", …" : "";
    for (const id of changed) {
      if (state.followUps.has(id)) continue;
      diagnostics.addAt(
        "IVR631",
        { file: place },
        `${environment} has no open follow-up ${id}.`,
        open.length === 0
          ? "Check the id. No follow-up is open."
          : `Use the id of an open follow-up: ${open.slice(0, maxListed).join(", ")}${more}`,
      );
    }
    return { events: changed.map((id) => ({ kind: "done", follow_up: id, evidence })), changed };
  });
}
