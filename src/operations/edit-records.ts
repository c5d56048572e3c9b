import { checkNewKey, isPattern, refuseTaken, selectNames } from "../deploy/state/change.ts";
import { menuKeys, menuRecord } from "../deploy/state/view.ts";
import { suggest } from "../util/suggest.ts";
import { visible } from "../util/visible.ts";
import type { Result } from "../views/result.ts";
import { rmQuestion } from "../views/state-changed.ts";
import type { Caller } from "./caller.ts";
import { type AskedChange, askApproval, changeState } from "./state-change.ts";
import { warnOfLinks } from "./still-linked.ts";

interface AskedDelete extends AskedChange {
  /** Menu keys and patterns. */
  readonly words: readonly string[];
  readonly isApproved: boolean;
}

/** Deletes the records of menus. The menus stay on the service. */
export function deleteRecords(caller: Caller, asked: AskedDelete): Promise<Result> {
  return changeState(caller, asked, "state rm", async (moment) => {
    const { state, environment, diagnostics, report } = moment;
    const keys = selectNames(asked.words, new Set(menuKeys(state)), moment);
    for (const key of keys.filter((key) => menuRecord(state, key)?.pending)) {
      report(`The outcome of ${key} is unknown.`, {
        words: "Resolve it first. To see how, run:",
        argv: suggest("state show", [key], environment),
      });
    }
    if (diagnostics.hasErrors) return "failed";
    const question = rmQuestion(keys, state, environment);
    const refusal = await askApproval(caller, asked.isApproved, question, "Nothing was deleted.");
    if (refusal !== undefined) return refusal;
    warnOfLinks(keys, moment);
    return keys.map((key) => ({ kind: "dropped", key }));
  });
}

interface AskedMove extends AskedChange {
  /** The key of a record, or a folder with `*`, and what it is to be. */
  readonly old: string;
  readonly wanted: string;
}

/** Moves the record of a menu to a different key, or those of a folder to a different folder. */
export function moveRecords(caller: Caller, asked: AskedMove): Promise<Result> {
  const { old, wanted } = asked;
  const folders = [old, wanted].map((word) => /^(.+\/)\*$/.exec(word)?.[1]);
  const [folder, newFolder] = folders;
  const isFolder = folder !== undefined && newFolder !== undefined;
  checkNewKey(isFolder ? `${newFolder}menu` : wanted);
  return changeState(caller, asked, "state mv", (moment) => {
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

interface AskedAddress extends AskedChange {
  readonly address: string;
  readonly evidence: string;
}

/** Records that the service has a new address. */
export function rebindState(caller: Caller, asked: AskedAddress): Promise<Result> {
  const { address, evidence } = asked;
  return changeState(caller, asked, "state rebind", ({ state, environment, report }) => {
    if (state.origin === null) {
      const what = `The environment ${environment} has no state yet, so there is no address to change.`;
      report(what, "Apply the menus first.");
      return "failed";
    }
    if (state.origin.address === address) {
      caller.terminal.note(`The state of ${environment} already belongs to ${visible(address)}.\n`);
      return [];
    }
    return [{ kind: "rebound", address, evidence }];
  });
}
