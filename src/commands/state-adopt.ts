import { didYouMean } from "../util/nearest.ts";
import { suggest } from "../util/suggest.ts";
import { nearestKeys } from "../project/menu-names.ts";
import { readNamed } from "../project/files.ts";
import { digestOf } from "../deploy/plan/digest.ts";
import { idsOnRecord, referencesIn, withIds } from "../deploy/plan/links.ts";
import { contentOf, namingOfPayload } from "../deploy/plan/naming.ts";
import { type MenuContent, begun } from "../deploy/plan/plan.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import type { StateEvent } from "../schema/state.ts";
import { sayAlike } from "../views/state-changed.ts";
import { type Context, type ExitCode, command } from "../cli/command.ts";
import { recordFlags, snapshotFlags, writtenText } from "../cli/flags.ts";
import { changeState } from "../cli/state-command.ts";
import { endpointOf } from "../deploy/service/connect.ts";
import { type Decide, checkNewKey, refuseTaken } from "../deploy/state/change.ts";
import { openConfiguration } from "../project/open-project.ts";
import { readPayload } from "../compile/payload-file.ts";
import { loadProject } from "../compile/load-project.ts";
import { readAgents } from "../project/agents-lock.ts";

const flags = {
  from: {
    type: "string",
    value: "FILE",
    about: "Read the payload that was sent from this JSON file (default: compile the menu)",
  },
  ...snapshotFlags,
  ...recordFlags,
} as const;

export const adopt = command({
  takes: "KEY",
  arguments: { KEY: "Menu key" },
  minArguments: 1,
  maxArguments: 1,
  completes: "key",
  about: "Record a menu that already exists on the service, so that apply does not create it again",
  flags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl state adopt front-desk", "the live menu is the same as ivrs/front-desk.yaml"],
    [
      "ivrctl state adopt front-desk --from payload.json",
      "the live menu was created with this payload",
    ],
  ],
  run: adoptMenu,
});

async function adoptMenu(context: Context<typeof flags>): Promise<ExitCode> {
  const [key = ""] = context.args;
  const { from, evidence: given } = context.flags;
  checkNewKey(key);
  const evidence = writtenText(given, "evidence") ?? null;
  const found = from === undefined ? await compiled(context, key) : payloadOf(context, key, from);
  const decide: Decide = ({ state, environment, place, diagnostics }) => {
    refuseTaken(key, state, place, diagnostics);
    const ids = idsOnRecord(state);
    for (const to of found.content === undefined ? [] : referencesIn(found.content)) {
      if (ids.has(to)) continue;
      diagnostics.addAt(
        "IVR631",
        { file: place },
        `${key} leads to the menu ${to}, whose id is not on record.`,
        state.keys.has(to)
          ? `Look up the id on the console, and record it: ${suggest("state set-id", [to, "ID"], environment, "--evidence TEXT")}`
          : `Adopt ${to} first, and record its id. If the menus lead to each other, adopt ${key} with \`--from\` and a payload that has \`ivr||ID\` in place of the menu.`,
      );
    }
    if (found.content === undefined || diagnostics.hasErrors) return "failed";
    const content = withIds(found.content, ids);
    const events: StateEvent[] = [{ kind: "adopted", key, ...content, evidence }];
    if (state.origin === null) {
      const needs = { token: false, state: false };
      const endpoint = endpointOf(openConfiguration(context), diagnostics, needs);
      if (endpoint === undefined) return "failed";
      events.unshift(begun(environment, endpoint.identity, true));
    }
    if (!context.globals.quiet) sayAlike(key, content, state, environment, context.terminal);
    return { events, changed: [key] };
  };
  return changeState(context, "state adopt", decide, found.problems);
}

interface Found {
  readonly content: MenuContent | undefined;
  readonly problems: readonly Diagnostic[];
}

function payloadOf(context: Context<typeof flags>, key: string, file: string): Found {
  const { root } = context;
  const diagnostics = new Diagnostics();
  const source = readNamed(root, file, "importedText", diagnostics);
  const payload = source && readPayload(source, key, diagnostics);
  const named = { agentsFile: context.flags.agents, agentsRequired: false };
  const agents = readAgents(openConfiguration(context), named, diagnostics);
  const content = payload && {
    payload,
    digest: digestOf(payload),
    naming: namingOfPayload(payload, agents),
  };
  return { content, problems: diagnostics.sorted() };
}

/** The payload that the menu's file compiles to. Problems with other menus do not matter. */
async function compiled(context: Context<typeof flags>, key: string): Promise<Found> {
  const project = await loadProject(context, {
    paths: [],
    agentsFile: context.flags.agents,
    agentsRequired: true,
  });
  const own = project.menus.filter((menu) => menu.key === key);
  const [menu, second] = own;
  const result = menu && second === undefined ? project.compiled.get(menu) : undefined;
  // An unreadable file has no menu, but its path shows that it belongs to this menu key.
  const files = new Set([`ivrs/${key}.yaml`, ...own.map(({ source }) => source.file)]);
  const found = project.diagnostics.filter(
    ({ file, severity }) =>
      (files.has(file) || !file.startsWith("ivrs")) &&
      (result === undefined || severity !== "error"),
  );
  if (result !== undefined) return { content: contentOf(result), problems: found };
  if (menu !== undefined || found.some(({ severity }) => severity === "error")) {
    return { content: undefined, problems: found };
  }
  const missing = new Diagnostics();
  const keys = project.menus.flatMap((menu) => menu.key ?? []);
  missing.addAt(
    "IVR631",
    { file: "ivrs" },
    `There is no menu ${key} under ivrs/.`,
    didYouMean(nearestKeys(key, keys)) ?? "Give the payload that was sent: --from PAYLOAD.json",
  );
  return { content: undefined, problems: [...found, ...missing.sorted()] };
}
