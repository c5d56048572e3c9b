import { checkNewKey, isPattern, refuseTaken, selectNames } from "../deploy/state/change.ts";
import { menuKeys, menuRecord } from "../deploy/state/view.ts";
import { suggest } from "../util/suggest.ts";
import { addressProblem, normalAddress } from "../util/address.ts";
import { rmQuestion } from "../views/state-changed.ts";
import type { Result } from "../views/result.ts";
import { visible } from "../util/visible.ts";
import { type Context, command } from "../cli/command.ts";
import { approveFlags, decision, lockFlags, requireTerminal } from "../cli/flags.ts";
import { askApproval, changeState } from "../operations/state-change.ts";
import { warnOfLinks } from "../operations/still-linked.ts";
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
  run: deleteRecords,
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
  run: moveRecord,
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
  run: rebindState,
});

async function deleteRecords(context: Context<typeof rmFlags>): Promise<Result> {
  requireTerminal(context);
  return changeState(context, decision(context.flags), "state rm", async (moment) => {
    const { state, environment, diagnostics, report } = moment;
    const keys = selectNames(context.args, new Set(menuKeys(state)), moment);
    for (const key of keys.filter((key) => menuRecord(state, key)?.pending)) {
      report(`The outcome of ${key} is unknown.`, {
        words: "Resolve it first. To see how, run:",
        argv: suggest("state show", [key], environment),
      });
    }
    if (diagnostics.hasErrors) return "failed";
    const question = rmQuestion(keys, state, environment);
    const isApproved = context.flags["auto-approve"];
    const refusal = await askApproval(context, isApproved, question, "Nothing was deleted.");
    if (refusal !== undefined) return refusal;
    warnOfLinks(keys, moment);
    return keys.map((key) => ({ kind: "dropped", key }));
  });
}

async function moveRecord(context: Context<typeof lockFlags>): Promise<Result> {
  const [old = "", wanted = ""] = context.args;
  const folders = [old, wanted].map((word) => /^(.+\/)\*$/.exec(word)?.[1]);
  const [folder, newFolder] = folders;
  const isFolder = folder !== undefined && newFolder !== undefined;
  checkNewKey(isFolder ? `${newFolder}menu` : wanted);
  return changeState(context, decision(context.flags), "state mv", (moment) => {
    const keys = selectNames([old], new Set(menuKeys(moment.state)), moment);
    if (!isFolder && isPattern(old)) {
      const hint = "Move one menu, or name two folders: 'shops/*' 'stores/*'.";
      moment.report(`'${old}' can be several menus, and ${wanted} is one.`, hint);
      return "failed";
    }
    if (!isFolder) {
      refuseTaken(wanted, moment, old);
      return [{ kind: "moved", key: wanted, from: old }];
    }
    return keys.map((from) => {
      const key = newFolder + from.slice(folder.length);
      refuseTaken(key, moment, from);
      return { kind: "moved", key, from };
    });
  });
}

async function rebindState(context: Context<typeof rebindFlags>): Promise<Result> {
  const { to, evidence } = context.flags;
  const problem = to === "sandbox" ? undefined : addressProblem(to);
  if (problem !== undefined) {
    throw new UsageError(`${problem.message.replace("`base_url`", "--to")} ${problem.help}`);
  }
  const address = normalAddress(to);
  return changeState(
    context,
    decision(context.flags),
    "state rebind",
    ({ state, environment, report }) => {
      if (state.origin === null) {
        const what = `The environment ${environment} has no state yet, so there is no address to change.`;
        report(what, "Apply the menus first.");
        return "failed";
      }
      if (state.origin.address === address) {
        context.terminal.note(
          `The state of ${environment} already belongs to ${visible(address)}.\n`,
        );
        return [];
      }
      return [{ kind: "rebound", address, evidence }];
    },
  );
}
