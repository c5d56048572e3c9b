import * as z from "zod/mini";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { ListedAgent } from "../schema/agent.ts";
import { Agents } from "./agents.ts";
import { locator, parseJson } from "../yaml/json.ts";

const ListedAgents = z.array(ListedAgent);
const Snapshot = z.looseObject({ agents: z.unknown(), pulled_at: z.optional(z.unknown()) });

const maxFaults = 10;

/** Reads an agent list: a JSON array as the service returns it, or a snapshot with one. */
export function readAgentList(source: Source, diagnostics: Diagnostics): Agents | undefined {
  const json = parseJson(source);
  if (!json.success) {
    diagnostics.add(
      "IVR501",
      json.span,
      "This is not JSON, so it cannot be an agent list.",
      "Write it again with `ivrctl agents pull`, or save the service's answer as it came.",
    );
    return undefined;
  }
  const snapshot = Snapshot.safeParse(json.value);
  const prefix = snapshot.success ? ["agents"] : [];
  const list = snapshot.success ? snapshot.data.agents : json.value;
  const pulledAt = snapshot.success ? dateOf(snapshot.data.pulled_at) : undefined;
  const listed = ListedAgents.safeParse(list);
  if (listed.success) return new Agents(listed.data, pulledAt);
  const locate = locator(source);
  for (const issue of listed.error.issues.slice(0, maxFaults)) {
    const path = [...prefix, ...issue.path];
    if (issue.path.length === 0) {
      diagnostics.add(
        "IVR501",
        locate(path),
        "An agent list is a JSON array of agents, or a snapshot that holds one under `agents`.",
      );
    } else {
      const place = path.map((step) =>
        typeof step === "number" ? `[${step}]` : `.${String(step)}`,
      );
      diagnostics.add(
        "IVR502",
        locate(path),
        `${place.join("").replace(/^\./, "")} is not what an agent has there.`,
        "Ids and names are text, or whole numbers that JSON can hold exactly; departments are a list.",
      );
    }
  }
  return undefined;
}

function dateOf(value: unknown): Date | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time);
}
