import * as z from "zod/mini";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Readings } from "../project/readings.ts";
import type { Source } from "../diagnostics/source.ts";
import { ListedAgent } from "../schema/agent.ts";
import { suggest } from "../util/suggest.ts";
import { Agents, type Origin } from "./agents.ts";
import { locator, parseJson } from "../yaml/json.ts";

const ListedAgents = z.array(ListedAgent);
const Snapshot = z.looseObject({ agents: z.unknown() });

const maxReported = 10;

const lists = new Readings<Source, Agents | undefined>();

/**
 * Reads an agent list: a JSON array as the service returns it, or a snapshot with one. The environment
 * is for the command that pulls the list again.
 */
export function readAgentList(
  source: Source,
  environment: string | undefined,
  diagnostics: Diagnostics,
): Agents | undefined {
  const pull = suggest("agents pull", [], environment);
  return lists.of(source, [pull], diagnostics, (found) => parseAgentList(source, pull, found));
}

function parseAgentList(
  source: Source,
  pull: string,
  diagnostics: Diagnostics,
): Agents | undefined {
  const json = parseJson(source);
  if (!json.success) {
    diagnostics.add(
      "IVR501",
      json.span,
      "The agent list is not valid JSON.",
      `Save the answer of the service unchanged, or pull the list again: ${pull}`,
    );
    return undefined;
  }
  const snapshot = Snapshot.safeParse(json.value);
  const prefix = snapshot.success ? ["agents"] : [];
  const list = snapshot.success ? snapshot.data.agents : json.value;
  const listed = ListedAgents.safeParse(list);
  if (listed.success)
    return new Agents(listed.data, snapshot.success ? originOf(snapshot.data) : {});
  const locate = locator(source);
  for (const issue of listed.error.issues.slice(0, maxReported)) {
    const path = [...prefix, ...issue.path];
    if (issue.path.length === 0) {
      diagnostics.add(
        "IVR501",
        locate(path),
        "The agent list must be a JSON array, or an object with an array `agents`.",
        `Pull the list again: ${pull}`,
      );
    } else {
      diagnostics.add(
        "IVR502",
        locate(path),
        `${z.core.toDotPath(path)} ${expectedOfAgent(issue.path)}.`,
        `Correct the value, or pull the list again: ${pull}`,
      );
    }
  }
  return undefined;
}

/** What the value at a path of the list must be. */
export function expectedOfAgent([, field, item]: readonly PropertyKey[]): string {
  if (field === undefined) return "must be an object";
  if (field === "departments") {
    return item === undefined
      ? "must be a list of names"
      : "must be text, or an object with a `name`";
  }
  return field === "blocked" || field === "custom_status"
    ? "must be true, false, text or a number"
    : "must be text, or a whole number of at most 15 digits";
}

/** Old snapshots have none of these fields, or only some. */
function originOf({ pulled_at, environment, service, source }: z.infer<typeof Snapshot>): Origin {
  const time = Date.parse(text(pulled_at) ?? "");
  return {
    pulledAt: Number.isNaN(time) ? undefined : new Date(time),
    environment: text(environment),
    service: text(service),
    isFromUsers: source === "users",
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
