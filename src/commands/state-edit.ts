import { command } from "../cli/command.ts";
import { approveFlags, decision, lockFlags, requireTerminal } from "../cli/flags.ts";
import { deleteRecords, moveRecords, rebindState } from "../operations/edit-records.ts";
import { addressProblem, normalAddress } from "../util/address.ts";
import { UsageError } from "../util/usage-error.ts";

const rmFlags = { ...approveFlags, ...lockFlags } as const;

export const rm = command({
  arguments: { "<KEY..>": "Menu keys; * matches any characters, including /, and ? matches one" },
  about:
    "Delete the records of menu keys.\n\nThe menus stay on the service, and callers still reach them.",
  flags: rmFlags,
  examples: [
    ["ivrctl state rm front-desk", "ask, then delete the record"],
    ["ivrctl state rm 'shops/*'", "ask, then delete the records of these menus"],
  ],
  run(context) {
    requireTerminal(context);
    const isApproved = context.flags["auto-approve"];
    return deleteRecords(context, { ...decision(context.flags), words: context.args, isApproved });
  },
});

export const mv = command({
  arguments: {
    "<OLD>": "Menu key of the record, or a folder: 'shops/*'",
    "<NEW>": "New menu key or folder",
  },
  about: "Move records to different menu keys",
  flags: lockFlags,
  examples: [
    ["ivrctl state mv front-desk reception", "after the file was renamed"],
    ["ivrctl state mv 'shops/*' 'stores/*'", "after the folder was renamed"],
  ],
  run(context) {
    const [old = "", wanted = ""] = context.args;
    return moveRecords(context, { ...decision(context.flags), old, wanted });
  },
});

const rebindFlags = {
  to: {
    value: "URL",
    required: true,
    about: "Record this new address for the service",
  },
  evidence: {
    value: "TEXT",
    required: true,
    about: "Record in the history how you know that the account is the same",
  },
  ...lockFlags,
} as const;

export const rebind = command({
  about: "Record that the service has a new address for the same account",
  flags: rebindFlags,
  examples: [
    ["ivrctl state rebind --to https://api2.example.com --evidence 'ticket 4711'", "a new host"],
  ],
  async run(context) {
    const { to, evidence } = context.flags;
    const problem = to === "sandbox" ? undefined : addressProblem(to);
    if (problem !== undefined) {
      throw new UsageError(`${problem.message.replace("`base_url`", "--to")} ${problem.help}`);
    }
    const address = normalAddress(to);
    return rebindState(context, { ...decision(context.flags), address, evidence });
  },
});
