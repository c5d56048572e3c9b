import { type Agent, fromListed } from "../../compile/agents.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Context } from "../../cli/command.ts";
import { connect } from "./connect.ts";

export interface LiveAgents {
  readonly environment: string;
  /** The host the list came from. */
  readonly host: string;
  readonly agents: readonly Agent[];
}

/** The agent list as the service gives it at this moment. */
export async function listLive(
  context: Context,
  diagnostics: Diagnostics,
): Promise<LiveAgents | undefined> {
  const connection = await connect(context, diagnostics);
  if (connection === undefined) return undefined;
  const { environment, address, service, place } = connection;
  try {
    const listing = await service.list();
    if (listing.kind === "listed") {
      return { environment, host: hostOf(address), agents: listing.agents.map(fromListed) };
    }
    diagnostics.add("IVR503", place, `${address}: ${listing.problem}.`);
    return undefined;
  } finally {
    await connection.close();
  }
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : "sandbox";
}
