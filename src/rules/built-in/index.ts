import { copiedVariable } from "./copied-variable.ts";
import { blockedAgent } from "./blocked-agent.ts";
import { duplicateAgentEid } from "./duplicate-agent-eid.ts";
import { idWithName } from "./id-with-name.ts";
import { keysNotAscending } from "./keys-not-ascending.ts";
import { menuTooLong } from "./menu-too-long.ts";
import { promptMismatch } from "./prompt-mismatch.ts";
import { promptTooLong } from "./prompt-too-long.ts";
import { renumbered } from "./renumbered.ts";
import { reservedKey } from "./reserved-key.ts";
import { retriesOutOfRange } from "./retries-out-of-range.ts";
import { loopWithoutExit } from "./loop-without-exit.ts";
import { menuTooDeep } from "./menu-too-deep.ts";
import { noWayToAPerson } from "./no-way-to-a-person.ts";
import { unreachableMenu } from "./unreachable-menu.ts";
import type { Rule } from "../rule.ts";
import { sameDestinationTwice } from "./same-destination-twice.ts";
import { sameRecordingTwice } from "./same-recording-twice.ts";
import { waitOutOfRange } from "./wait-out-of-range.ts";
import { zeroNotOperator } from "./zero-not-operator.ts";

/** All built-in rules, in the order of the docs. */
export const rules: readonly Rule[] = [
  blockedAgent,
  duplicateAgentEid,
  menuTooLong,
  keysNotAscending,
  zeroNotOperator,
  reservedKey,
  waitOutOfRange,
  retriesOutOfRange,
  sameRecordingTwice,
  sameDestinationTwice,
  promptMismatch,
  promptTooLong,
  renumbered,
  menuTooDeep,
  unreachableMenu,
  noWayToAPerson,
  loopWithoutExit,
  copiedVariable,
  idWithName,
];

/** The built-in rules by name. */
export const ruleNamed: ReadonlyMap<string, Rule> = new Map(rules.map((rule) => [rule.name, rule]));
