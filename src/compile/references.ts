import * as z from "zod/mini";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Alias, Environment, ListedNames } from "../project/environment.ts";
import { idsNamed } from "../project/listed-names.ts";
import { digits } from "../schema/field-types.ts";
import { type OwnKind, ownKindNames, ownKinds } from "../schema/destination-kinds.ts";
import type {
  DestinationReference,
  RecordingReference,
  SmsReference,
} from "../schema/destination.ts";
import { joined } from "../util/many.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import { type Hint, suggest } from "../util/suggest.ts";
import { type Node, isUnusable, nodeAt, scalarsIn, toPlain } from "../yaml/node.ts";
import {
  type AgentReference,
  type Agents,
  hasExtension,
  normalName,
  referenceFields,
} from "../project/agent-list.ts";
import { reportAmbiguous, reportBareNumber, reportNotFound } from "./agent-problems.ts";
import type { Recording, SmsTemplate } from "../model/menu.ts";
import { isMade, recordingToMake } from "./recording-to-make.ts";
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

/** Finds the id of a recording: by alias, by what the service calls it, or as written. `at` is the place of the reference. */
export function resolveRecording(
  written: RecordingReference,
  at: Span,
  context: ReferenceContext,
): ResolvedRecording | undefined {
  const { environment } = context;
  const recording: Pick<Recording, "id" | "alias" | "make"> | undefined =
    environment && typeof written === "string" && isMade(written, environment)
      ? recordingToMake(written, at, { environment, diagnostics: context.diagnostics })
      : typeof written === "object" && "name" in written
        ? listedRecording(written.name, at, context)
        : identified(written, environment?.recordings, (unknown) => {
            const named = environment?.recordings.get(unknown)?.named ?? unknown;
            const ids = idsNamed(environment?.listed?.recordings ?? nothingListed, named);
            if (ids.length > 1) reportNamesakes("recordings", named, ids, at, context);
            else reportNoAlias("recordings", unknown, at, context);
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
      ...(recording.make && { make: recording.make }),
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
  written: string | { readonly id: string },
  aliases: ReadonlyMap<string, Alias> | undefined,
  report: (unknown: string, nearby: Hint | undefined) => void,
): { readonly id: string; readonly alias?: string } | undefined {
  if (typeof written !== "string") return written;
  if (digits.test(written)) return { id: written };
  const name = aliases === undefined ? written : aliasName(written, aliases);
  const alias = aliases?.get(name);
  if (aliases && (alias === undefined || (alias.id === undefined && alias.named !== undefined))) {
    report(written, didYouMean(nearest(written, aliases.keys())));
  }
  return alias?.id === undefined ? undefined : { id: alias.id, alias: name };
}

/** An alias of the files is exact. In a name of the service, extra spaces do not matter. */
function aliasName(written: string, aliases: ReadonlyMap<string, Alias>): string {
  const name = normalName(written);
  const isListed = aliases.has(name) && aliases.get(name)?.at === undefined;
  return isListed && !aliases.has(written) ? name : written;
}

const nothingListed: ListedNames = new Map();

/** The recording that the service calls so, whatever aliases there are. */
function listedRecording(
  name: string,
  at: Span,
  context: ReferenceContext,
): { readonly id: string; readonly alias: string } | undefined {
  const { environment, diagnostics } = context;
  if (environment === undefined) return undefined;
  const names = environment.listed?.recordings ?? nothingListed;
  const [id, ...others] = idsNamed(names, name);
  if (id !== undefined && others.length === 0) return { id, alias: name };
  if (id !== undefined) reportNamesakes("recordings", name, [id, ...others], at, context);
  else {
    diagnostics.add(
      "IVR307",
      at,
      `The service has no recording called \`${shorten(name)}\`.`,
      // As a quick fix, the name would replace the whole mapping, and then it could mean an alias.
      didYouMean(nearest(name, names.keys()))?.words ?? pullHint(context),
    );
  }
  return undefined;
}

/** What is reported about the two kinds of things that have aliases in the files, and names on the service. */
const aliasKinds = {
  recordings: { one: "recording", listed: "recordings", byId: (id: string) => `{ id: "${id}" }` },
  destinations: {
    one: "destination",
    listed: "departments",
    byId: (id: string) => `{ kind: department, id: "${id}" }`,
  },
} as const;

/** Reports a name that means nothing in the environment. */
function reportNoAlias(
  kind: keyof typeof aliasKinds,
  unknown: string,
  at: Span,
  context: ReferenceContext,
): void {
  const { environment, diagnostics } = context;
  if (environment === undefined) return;
  const { one, listed, byId } = aliasKinds[kind];
  const elsewhere = environment.elsewhere[kind].get(unknown);
  const named = environment[kind].get(unknown)?.named;
  const name = shorten(unknown);
  if (named !== undefined) {
    diagnostics.add(
      "IVR307",
      at,
      `The alias \`${name}\` has no \`id:\`, and no recording called \`${shorten(named)}\` was pulled from the service.`,
      pullHint(context, "Add `id:` to the alias in ivrctl.yaml. "),
    );
    return;
  }
  diagnostics.add(
    "IVR307",
    at,
    `There is no ${one} \`${name}\`${elsewhere === undefined ? "" : ` in the environment \`${environment.name}\``}.`,
    elsewhere === undefined
      ? (didYouMean(nearest(unknown, environment[kind].keys())) ??
          `Add it to \`${kind}:\` in ivrctl.yaml, or write \`${byId(shorten(unknown.replace(/^recording\|\|/, "")))}\` if it is an id. If the service lists its ${listed}, \`ivrctl agents pull\` saves their names.`)
      : `Add it to \`${kind}:\` of \`${environment.name}\` or of the whole project. Only \`${elsewhere}\` has it.`,
  );
}

function pullHint({ environment }: ReferenceContext, first = ""): Hint {
  const words = `${first}If the service lists its recordings, save their names:`;
  return { words, argv: suggest("agents pull", [], environment?.name) };
}

/** Reports a name that several things of the service have. */
function reportNamesakes(
  kind: keyof typeof aliasKinds,
  name: string,
  ids: readonly string[],
  at: Span,
  { diagnostics }: ReferenceContext,
): void {
  const { listed, byId } = aliasKinds[kind];
  diagnostics.add(
    "IVR315",
    at,
    `${ids.length} ${listed} are called \`${shorten(name)}\`: ids ${joined(ids, "and")}.`,
    `Write \`${byId(ids[0] ?? "")}\` to choose one of them, or give one an alias under \`${kind}:\` in ivrctl.yaml.`,
  );
}

/** Finds what an alias, or the name of a department, means. */
function resolveAlias(
  written: string,
  at: Span,
  context: ReferenceContext,
): ResolvedDestination | undefined {
  const { environment } = context;
  if (environment === undefined) return undefined;
  const { destinations, listed } = environment;
  const alias = aliasName(written, destinations);
  const { kind, id } = destinations.get(alias) ?? {};
  if (kind !== undefined && id !== undefined) {
    return { value: { kind: "other", name: kind, id, alias }, at };
  }
  const ids = idsNamed(listed?.departments ?? nothingListed, written);
  if (ids.length > 1) reportNamesakes("destinations", written, ids, at, context);
  // The schema has reported an invalid alias.
  else if (!destinations.has(alias)) reportNoAlias("destinations", written, at, context);
  return undefined;
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
  const { menu, to, kind, ...wanted } = written;
  const place = (field: string) => nodeAt(node, [field]) ?? node;
  if (menu !== undefined) return { value: { kind: "menu", key: menu }, at: place("menu") };
  if (to !== undefined) return resolveAlias(to, place("to"), context);
  for (const name of ownKindNames) {
    const { onlyId }: OwnKind = ownKinds[name];
    const id = wanted[name] === true ? onlyId : wanted[name];
    if (id !== undefined) return { value: { kind: "other", name, id }, at: place(name) };
  }
  if (kind === "extension") return findAgent({ eid: wanted.id ?? "" }, place("id"), context);
  if (kind !== undefined) {
    const id = wanted.id ?? "";
    const alias = context.environment?.destinationAliases.get(`${kind}||${id}`);
    return { value: { kind: "other", name: kind, id, ...(alias && { alias }) }, at: place("id") };
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
  const matches = agents.find(reference);
  const lost = agents.lost(reference, matches);
  if (lost) {
    const { name, eid } = lost;
    const value = { kind: "agent", name, eid, team: null, blocked: true, isLost: true } as const;
    return { value: { ...value, reference }, at, reference };
  }
  const [agent, ...others] = matches;
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
