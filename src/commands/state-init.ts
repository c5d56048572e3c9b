import { begun, newStateId } from "../deploy/state/begin.ts";
import { randomUUID } from "node:crypto";
import { type Endpoint, chosenEndpoint } from "../deploy/service/connect.ts";
import { reporting } from "../deploy/state/access.ts";
import { storeAt } from "../deploy/state/open-store.ts";
import { StateProblem } from "../deploy/state/lock.ts";
import type { StateStore } from "../deploy/state/log/state-store.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { configName } from "../project/files.ts";
import { openConfiguration } from "../workspace/open-project.ts";
import { rewrite } from "../project/write-file.ts";
import { withStateId } from "../project/state-id.ts";
import type { StateSettings } from "../project/state-settings.ts";
import { suggest } from "../util/suggest.ts";
import type { Result } from "../views/result.ts";
import { type Context, command } from "../cli/command.ts";

const flags = {
  recover: { about: "Initialize a new state because the one in ivrctl.yaml is lost for good" },
} as const;

export const init = command({
  about:
    "Initialize an environment's state, and write its id to ivrctl.yaml.\n\nCommit ivrctl.yaml afterwards. From then on, every machine refuses to work without this state, so that no menu is created a second time.\n\nAfter --recover, ivrctl creates a menu only after you have recorded with `ivrctl state resolve` that it does not exist.",
  flags,
  examples: [
    ["ivrctl state init --env production", "before the first apply"],
    ["ivrctl state init --env production --recover", "after the state was lost for good"],
  ],
  run: initState,
});

async function initState(context: Context<typeof flags>): Promise<Result> {
  const diagnostics = new Diagnostics();
  const configuration = openConfiguration(context);
  const endpoint = chosenEndpoint(configuration, diagnostics, { token: false, state: true });
  const { source } = configuration;
  const { state } = endpoint ?? {};
  const note =
    source && endpoint && state && (await begin(context, { source, endpoint, state }, diagnostics));
  return {
    exit: diagnostics.hasErrors ? 1 : 0,
    diagnostics: diagnostics.sorted(),
    notes: note ?? "",
  };
}

interface Place {
  readonly source: Source;
  readonly endpoint: Endpoint;
  readonly state: StateSettings;
}

/** Begins the state, unless it exists. Returns what to say. Reports why it cannot begin. */
async function begin(
  context: Context<typeof flags>,
  { source, endpoint, state }: Place,
  diagnostics: Diagnostics,
): Promise<string | undefined> {
  const { environment, identity: address } = endpoint;
  const { recover } = context.flags;
  if (state.id === undefined && state.beginsAlone) {
    return `${environment} uses the embedded sandbox. The first apply initializes its state.\n`;
  }
  if (state.id !== undefined) {
    const old = await storeAt(context, environment, state, diagnostics);
    const existing =
      old && (await reporting(old, diagnostics, () => look(old, environment, recover)));
    if (existing !== "lost") return existing;
  }
  const id = newStateId();
  const text = withStateId(source, environment, id);
  if (text === undefined) {
    diagnostics.add(
      "IVR620",
      state.place,
      `The id of the state cannot be written under ${environment}.`,
      `Write a mapping of its own under \`${environment}\`, for example \`state: { backend: file }\`, without aliases.`,
    );
    return undefined;
  }
  const store = await storeAt(context, environment, { ...state, id }, diagnostics);
  if (store === undefined) return undefined;
  const recovered = recover && { recovered: context.host.clock.now().toISOString() };
  const isBegun = await reporting(store, diagnostics, async () => {
    if (!recover) refuseOthers(await store.ids(), store, environment);
    const event = begun({ id, environment, address, ...recovered });
    await store.begin(event, { id: randomUUID().slice(0, 8) });
    return true;
  });
  if (!isBegun) return undefined;
  if (rewrite(context.root, source, text, false, diagnostics) === "failed") {
    const hint = `Write \`id: ${id}\` under \`state:\` of ${environment} in ${configName}.`;
    const message = `The state ${id} is initialized, but ${configName} does not have its id.`;
    diagnostics.add("IVR620", state.place, message, hint);
    return undefined;
  }
  const next = recover
    ? `Nothing is created until you have recorded which menus exist: ${context.terminal.command(suggest("state resolve", [], environment))}\n`
    : "";
  return `Initialized the state ${id} of ${environment} at ${store.place}. Commit ${configName}, which has its id now.\n${next}`;
}

/** Looks for the state that ivrctl.yaml names. Says that it exists. With `--recover`, it must be lost or damaged. */
async function look(store: StateStore, environment: string, recover: boolean): Promise<string> {
  const exists = `The state of ${environment} exists: ${store.id} at ${store.place}.`;
  try {
    await store.read();
  } catch (error) {
    const isLost = error instanceof StateProblem && /^IVR(?:603|629)$/.test(error.code);
    if (recover && isLost) return "lost";
    throw error;
  }
  if (!recover) return `${exists}\n`;
  const nothing = `${exists} There is nothing to recover.`;
  throw new StateProblem("IVR620", nothing, "Run the command without --recover.");
}

/** A second state would not know the menus of the first. */
function refuseOthers(ids: readonly string[], { place }: StateStore, environment: string): void {
  const [first] = ids;
  if (first === undefined) return;
  throw new StateProblem(
    "IVR620",
    `There is already a state of ${environment} at ${place}: ${ids.join(", ")}.`,
    `If it is this project's state, write \`id: ${first}\` under \`state:\` of ${environment} in ${configName}. If not, choose a different backend, or a different place in it.`,
  );
}
