import * as z from "zod/mini";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Source, Span } from "../../diagnostics/source.ts";
import { ListedAgent } from "../../schema/agent.ts";
import { Agents, fromListed } from "../agents.ts";
import { at } from "./node.ts";
import { readYaml } from "./yaml.ts";

const ListedAgents = z.array(ListedAgent);
const Snapshot = z.looseObject({ agents: z.unknown(), pulled_at: z.optional(z.unknown()) });

const maxFaults = 10;
/** Above this a list is not read a second time to say where a fault is. */
const maxLocated = 2_000_000;

/** An agent list in the service's own shape, a JSON array, or a snapshot around one. */
export function readAgentList(source: Source, diagnostics: Diagnostics): Agents | undefined {
  let value: unknown;
  try {
    value = JSON.parse(source.text);
  } catch (error) {
    diagnostics.add(
      "IVR501",
      jsonFault(source, error),
      "This is not JSON, so it cannot be an agent list.",
      "Write it again with `ivrctl agents pull`, or save the service's answer as it came.",
    );
    return undefined;
  }
  const snapshot = Snapshot.safeParse(value);
  const prefix = snapshot.success ? ["agents"] : [];
  const listed = ListedAgents.safeParse(snapshot.success ? snapshot.data.agents : value);
  if (listed.success) {
    const pulledAt = snapshot.success ? dateOf(snapshot.data.pulled_at) : undefined;
    return new Agents(listed.data.map(fromListed), pulledAt);
  }
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

/** JSON is YAML, so the reader of menus can tell where in the file a value stands. */
function locator(source: Source): (path: readonly PropertyKey[]) => Span {
  const root =
    source.text.length > maxLocated ? undefined : readYaml(source, new Diagnostics())[0]?.root;
  return (path) => (root && at(root, path)) ?? source.top();
}

function jsonFault(source: Source, error: unknown): Span {
  const message = error instanceof Error ? error.message : "";
  const position = /at position (\d+)/.exec(message)?.[1];
  // Without a position the text ended too soon.
  const end = source.text.trimEnd().length;
  const start = position === undefined ? Math.max(end - 1, 0) : Math.min(Number(position), end);
  return source.span(start, Math.min(start + 1, source.text.length));
}
