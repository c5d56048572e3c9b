import * as z from "zod/mini";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { ListedAgent, PulledList } from "../schema/agent.ts";
import { suggest } from "../util/suggest.ts";
import { Agents, type Origin } from "./agents.ts";
import { locator, parseJson } from "../yaml/json.ts";

const ListedAgents = z.array(ListedAgent);

const maxReported = 10;

/**
 * Reads an agent list: a JSON array as the service returns it, or a file of `ivrctl agents pull`. The
 * environment is for the command that pulls the list again.
 */
export function readAgentList(
  source: Source,
  environment: string | undefined,
  diagnostics: Diagnostics,
): Agents | undefined {
  const pull = suggest("agents pull", [], environment);
  const json = parseJson(source);
  if (!json.success) {
    diagnostics.add("IVR501", json.span, "The agent list is not valid JSON.", {
      words: "Save the answer of the service unchanged, or pull the list again:",
      argv: pull,
    });
    return undefined;
  }
  const isAnswer = Array.isArray(json.value);
  const pulled = PulledList.safeParse(json.value);
  const locate = locator(source);
  if (!isAnswer && !pulled.success) {
    diagnostics.add(
      "IVR501",
      locate([]),
      "This is not an agent list, or a different version of ivrctl wrote it.",
      { words: "Pull the list again:", argv: pull },
    );
    return undefined;
  }
  const listed = ListedAgents.safeParse(pulled.success ? pulled.data.agents : json.value);
  if (listed.success) return new Agents(listed.data, pulled.success ? originOf(pulled.data) : {});
  for (const issue of listed.error.issues.slice(0, maxReported)) {
    const path = [...(isAnswer ? [] : ["agents"]), ...issue.path];
    diagnostics.add("IVR501", locate(path), `${z.core.toDotPath(path)} ${issue.message}.`, {
      words: "Correct the value, or pull the list again:",
      argv: pull,
    });
  }
  return undefined;
}

function originOf({
  pulled_at: at,
  environment,
  service,
  source,
}: z.infer<typeof PulledList>): Origin {
  return {
    pulledAt: at === undefined ? undefined : new Date(at),
    environment,
    service,
    isFromUsers: source === "users",
  };
}
