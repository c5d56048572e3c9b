import { command } from "../cli/command.ts";
import { decision, lockFlags } from "../cli/flags.ts";
import { addFile, moveToBackend, writeHistory } from "../operations/state-transfer.ts";

const pullFlags = {
  out: { value: "FILE", about: "Write to this file (default: stdout)" },
} as const;

export const pull = command({
  about: "Write the state with its whole history to a file or stdout",
  flags: pullFlags,
  examples: [["ivrctl state pull --out state.jsonl", "make a backup"]],
  run: (context) => writeHistory(context, context.flags.out ?? "-"),
});

export const push = command({
  arguments: { "<FILE>": "File from `ivrctl state pull` or rescue file, or - for stdin" },
  about:
    "Add a file's events to the state.\n\nThe file continues the history of this state, or is a rescue file with outcomes that a run could not record.",
  flags: lockFlags,
  examples: [["ivrctl state push state.jsonl", "read what `ivrctl state pull` wrote"]],
  run: (context) => addFile(context, context.args[0] ?? "", decision(context.flags)),
});

export const migrate = command({
  about:
    "Move the state to a different backend, with its whole history.\n\nFirst write both backends into ivrctl.yaml: the new one under `state:`, the old one under `from:` in it. migrate marks the old one as moved, so that no run uses it again.",
  flags: lockFlags,
  examples: [["ivrctl state migrate --env production", "after you have changed ivrctl.yaml"]],
  run: (context) => moveToBackend(context, decision(context.flags)),
});
