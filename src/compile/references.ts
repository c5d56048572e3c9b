import * as z from "zod/mini";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Alias, Environment } from "../project/environment.ts";
import { digits } from "../schema/field-types.ts";
import { type OwnKind, ownKindNames, ownKinds } from "../schema/destination-kinds.ts";
import type {
  DestinationReference,
  RecordingReference,
  SmsReference,
} from "../schema/destination.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import { type Hint, suggest } from "../util/suggest.ts";
import { type Node, isUnusable, nodeAt, scalarsIn, toPlain } from "../yaml/node.ts";
import {
  type AgentReference,
  type Agents,
  hasExtension,
  referenceFields,
} from "../project/agent-list.ts";
import { reportAmbiguous, reportBareNumber, reportNotFound } from "./agent-problems.ts";
import type { SmsTemplate } from "../model/menu.ts";
import type { ResolvedDestination, ResolvedRecording } from "./compiled-menu.ts";

/** What is needed to resolve the references of a menu. */
export interface ReferenceContext {
  /** Without an environment, aliases are not checked. */
  readonly environment: Environment | undefined;
  /** Without a list, references to agents are not checked. */
  readonly agents: Agents | undefined;
  readonly diagnostics: Diagnostics;
}

/** Reads a value that was not decoded with the rest of its file. Undefined if it is invalid. */
export function readValue<T>(schema: z.ZodMiniType<T>, node: Node): T | undefined {
  const unusable = scalarsIn(node).some(isUnusable);
  return unusable ? undefined : z.safeParse(schema, toPlain(node)).data;
}

/** Finds the id of a recording: by alias, or as written. `at` is the place of the reference. */
export function resolveRecording(
  written: RecordingReference,
  at: Span,
  { environment, diagnostics }: ReferenceContext,
): ResolvedRecording | undefined {
  const recording = identified(written, environment?.recordings, (unknown, nearby) => {
    const elsewhere = environment?.elsewhere.get(unknown);
    const name = environment?.name ?? "";
    diagnostics.add(
      "IVR307",
      at,
      `There is no recording \`${shorten(unknown)}\`${elsewhere === undefined ? "" : ` in the environment \`${name}\``}.`,
      elsewhere === undefined
        ? (nearby ??
            `Add it to \`recordings:\` in ivrctl.yaml, or write \`{ id: "${shorten(unknown.replace(/^recording\|\|/, ""))}" }\` if it is an id.`)
        : `Add it to \`recordings:\` of \`${name}\` or of the whole project. Only \`${elsewhere}\` has it.`,
    );
  });
  if (recording === undefined) return undefined;
  // The words and the length come from the alias of the recording.
  const alias = recording.alias ?? environment?.recordingAliases.get(recording.id);
  const { says, seconds, language } = environment?.recordings.get(alias ?? "") ?? {};
  return {
    value: {
      id: recording.id,
      ...(alias !== undefined && { alias }),
      ...(says && { says: says.value }),
      ...(seconds && { seconds: seconds.value }),
      ...(language !== undefined && { language }),
    },
    at,
    saysAt: says?.at,
    secondsAt: seconds?.at,
  };
}

export function resolveSmsTemplate(
  written: SmsReference,
  at: Span,
  { environment, diagnostics }: ReferenceContext,
): SmsTemplate | undefined {
  if (environment === undefined) return undefined;
  if (!environment.smsTemplatesEnabled) {
    diagnostics.add(
      "IVR309",
      at,
      `SMS templates are turned off in the environment \`${environment.name}\`.`,
      "Add `sms_templates_enabled: true` to ivrctl.yaml if the account has them.",
    );
    return undefined;
  }
  return identified(written, environment.smsTemplates, (unknown, nearby) =>
    diagnostics.add(
      "IVR307",
      at,
      `There is no SMS template \`${shorten(unknown)}\`.`,
      nearby ??
        `Add it to \`sms_templates:\` in ivrctl.yaml, or write \`{ id: "${shorten(unknown)}" }\` if it is an id.`,
    ),
  );
}

/** The id that a reference means, and its alias. Without aliases, only an id as written is known. */
function identified(
  written: RecordingReference | SmsReference,
  aliases: ReadonlyMap<string, Alias> | undefined,
  report: (unknown: string, nearby: Hint | undefined) => void,
): { readonly id: string; readonly alias?: string } | undefined {
  if (typeof written !== "string") return written;
  if (digits.test(written)) return { id: written };
  const alias = aliases?.get(written);
  if (aliases && !alias) report(written, didYouMean(nearest(written, aliases.keys())));
  return alias?.id === undefined ? undefined : { id: alias.id, alias: written };
}

/** Finds the agent, or the other destination, that a value refers to. `node` has its places. */
export function resolveDestination(
  written: DestinationReference,
  node: Node,
  context: ReferenceContext,
): ResolvedDestination | undefined {
  if (typeof written === "string") {
    const isPlain = node.kind === "scalar" && node.plain;
    if (!digits.test(written) && !(isPlain && numberLike.test(written))) {
      return findAgent({ agent: written }, node, context);
    }
    reportBareNumber(written, node, context.diagnostics);
    return undefined;
  }
  const { menu, kind, ...wanted } = written;
  const place = (field: string) => nodeAt(node, [field]) ?? node;
  if (menu !== undefined) return { value: { kind: "menu", key: menu }, at: place("menu") };
  for (const name of ownKindNames) {
    const { onlyId }: OwnKind = ownKinds[name];
    const id = wanted[name] === true ? onlyId : wanted[name];
    if (id !== undefined) return { value: { kind: "other", name, id }, at: place(name) };
  }
  if (kind === "extension") return findAgent({ eid: wanted.id ?? "" }, place("id"), context);
  if (kind !== undefined) {
    return { value: { kind: "other", name: kind, id: wanted.id ?? "" }, at: place("id") };
  }
  const fieldsWritten = referenceFields.flatMap((field) =>
    wanted[field] === undefined ? [] : [[field, wanted[field]] as const],
  );
  return findAgent(
    Object.fromEntries(fieldsWritten),
    place(fieldsWritten[0]?.[0] ?? ""),
    context,
    node,
  );
}

/** Matches text that YAML reads as a number. */
const numberLike =
  /^[-+]?(?:0x[0-9a-fA-F]+|0o[0-7]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/;

/** Finds the only agent that matches a reference. Reports a reference that cannot be called. */
function findAgent(
  reference: AgentReference,
  at: Span,
  { agents, environment, diagnostics }: ReferenceContext,
  node?: Node,
): ResolvedDestination {
  if (agents === undefined) return { value: undefined, at, reference };
  const unreachable = (why: "not-listed" | "several" | "no-extension"): ResolvedDestination => ({
    value: { kind: "unreachable", name: described(reference), why },
    at,
    reference,
  });
  const lost = agents.lost(reference);
  if (lost) {
    const { name, eid } = lost;
    const value = { kind: "agent", name, eid, team: null, blocked: true, isLost: true } as const;
    return { value: { ...value, reference }, at, reference };
  }
  const [agent, ...others] = agents.find(reference);
  if (agent === undefined) {
    const placeOf = (field: string) => nodeAt(node, [field]) ?? at;
    reportNotFound(reference, placeOf, agents, environment?.name, diagnostics);
    return unreachable("not-listed");
  }
  if (others.length > 0) {
    reportAmbiguous(reference, [agent, ...others], at, diagnostics);
    return unreachable("several");
  }
  if (!hasExtension(agent)) {
    diagnostics.add(
      "IVR305",
      at,
      `The agent list has no usable extension id for ${agent.name}, so ivrctl cannot send calls there.`,
      {
        words: "Set up the extension on the console, then run:",
        argv: suggest("agents pull", [], environment?.name),
      },
    );
    return unreachable("no-extension");
  }
  const { name, eid, team, blocked } = agent;
  return {
    value: { kind: "agent", name, eid, team, blocked, reference },
    at,
    reference,
    agent,
  };
}

function described({ agent, ...others }: AgentReference): string {
  if (agent !== undefined) return agent;
  return Object.entries(others)
    .map(([field, value]) => `${field} ${value}`)
    .join(", ");
}
