import { nameIn } from "../../schema/ref.ts";
import type { Pending, PendingBind } from "../../schema/state.ts";
import { describeAnswer } from "../../util/answer.ts";
import { listed } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import { type Argv, type Hint, suggest } from "../../util/suggest.ts";
import { period } from "../../util/time.ts";
import type { StateView } from "./state.ts";
import { type Lock, describeLock } from "./store.ts";

/** What only a person can decide, and how to go on. */
export interface Matter {
  readonly code: "IVR670" | "IVR684";
  readonly message: string;
  readonly hint: Hint;
}

/** A request with an unknown outcome, and the menu key or the follow-up that it is about. */
export interface Unknown {
  readonly name: string;
  readonly pending: Pick<Pending, "action" | "sent_at" | "until" | "seen">;
}

/** Everything in a state that only a person can decide. */
export function openMatters({ records }: StateView, environment: string): Matter[] {
  const unknown: Unknown[] = [];
  const binds: Matter[] = [];
  for (const [ref, { pending }] of records) {
    if (pending?.action === "bind") binds.push(bindMatter(pending, environment));
    else if (pending) unknown.push({ name: nameIn(ref), pending });
  }
  return [...unknownMatters(unknown, environment), ...binds];
}

/** What to do about requests with an unknown outcome. `looked` says what was looked at in vain. */
export function unknownMatters(
  unknown: readonly Unknown[],
  environment: string,
  looked = "",
): Matter[] {
  const [first, ...more] = unknown;
  if (first === undefined) return [];
  const names = unknown.map(({ name }) => name);
  const { action, sent_at: from, until, seen } = first.pending;
  const answer = seen ? describeAnswer(seen.status, seen.message) : "no answer was recorded";
  const message = [
    more.length === 0
      ? `${first.name}: the outcome of ${action === "update" ? "an" : "a"} ${action} is unknown (sent ${period(from, until)}; ${answer}).`
      : `The outcomes of ${listed(names)} are unknown.`,
    ...(looked === "" ? [] : [looked]),
    `Nothing is sent for ${more.length === 0 ? "it" : "them"} until you resolve this.`,
  ].join(" ");
  return [{ code: "IVR684", message, hint: unknownHint(names, environment) }];
}

/** How to resolve unknown outcomes. `state show` says what to look for, and has the commands. */
export function unknownHint(
  names: readonly string[],
  environment: string,
): { readonly words: string; readonly argv: Argv } {
  return names.length === 1
    ? {
        words: "To see how to resolve the unknown outcome, run:",
        argv: suggest("state show", names, environment),
      }
    : {
        words: "To resolve the unknown outcomes one after the other, run:",
        argv: suggest("state resolve", [], environment),
      };
}

/** What to do about a phone number whose bind has an unknown outcome that no list shows. */
export function bindMatter({ key, number }: PendingBind, environment: string): Matter {
  return {
    code: "IVR670",
    message: `${phoneText(number)} may or may not point to \`${key}\`: an answer was lost, and no list shows the number now.`,
    hint: {
      words: "Look at the console. If the number is no longer there, run:",
      argv: suggest("state resolve", [number], environment, ["--absent"]),
    },
  };
}

/**
 * Who holds the lock of a state, and how to go on. `reader` could not take the lock as a command or as a
 * job of a pipeline, or only reads a plan. `hasEnded` is what the platform of the pipeline knows.
 */
export function lockMatter(
  lock: Lock,
  environment: string,
  reader: "command" | "job" | "plan",
  hasEnded?: boolean,
): Omit<Matter, "code"> {
  const message = `The state of ${environment} is locked by ${describeLock(lock)}.`;
  const argv = suggest("unlock", [lock.id], environment);
  const words = {
    command: "Wait for that run (--lock-timeout SECONDS). If it has ended, run:",
    job: "Run this job again when that run has ended. If it has left its lock, first run:",
    plan: "If that run has ended, release its lock:",
  };
  if (hasEnded === undefined) return { message, hint: { words: words[reader], argv } };
  if (hasEnded) {
    return { message, hint: "That run has ended. The next apply releases its lock." };
  }
  const inProgress =
    reader === "plan"
      ? "Its requests in flight are shown as unknown. Do not resolve them."
      : "Run this job again when it has ended.";
  return { message, hint: `That run is in progress. ${inProgress}` };
}

/** The commands that resolve an unknown outcome, and when to use each. */
export function resolveCommands(
  name: string,
  environment: string,
  action: string,
): { readonly when: string; readonly argv: Argv }[] {
  const resolve = (fate: string) => suggest("state resolve", [name], environment, [fate]);
  const isNew = [
    "If it is on the console",
    "If it is not (the next apply sends it again)",
  ] as const;
  const [yes, no] = whens[action] ?? isNew;
  return [
    { when: yes, argv: resolve("--created") },
    { when: no, argv: resolve("--absent") },
  ];
}

const whens: Readonly<Record<string, readonly [yes: string, no: string]>> = {
  update: ["If the console shows this content", "If not (the next plan offers the update again)"],
  delete: ["If it is still there (it can be deleted again)", "If it is no longer on the console"],
  bind: ["If it points to this menu", "If it does not, or is no longer on the console"],
};

/** What is not known after a request without an outcome. */
export function describeDoubt(action?: string): string {
  if (action === "update") return "The menu exists, but the update may or may not have arrived.";
  if (action === "delete") return "The delete may or may not have arrived.";
  return action === "create" || action === "replace"
    ? "The menu may or may not exist."
    : "The request may or may not have arrived.";
}
