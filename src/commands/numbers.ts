import { command } from "../cli/command.ts";
import {
  type Connection,
  type Endpoint,
  chosenEndpoint,
  openEndpoint,
  readRecorded,
} from "../deploy/service/connect.ts";
import type { Refusal } from "../deploy/service/service.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { readSnapshot } from "../project/agents-lock.ts";
import { DiskFiles } from "../project/files.ts";
import { openConfiguration } from "../project/open-project.ts";
import { suggest } from "../util/suggest.ts";
import { type AccountNumbers, numbersJson, numbersNotes, numbersText } from "../views/numbers.ts";
import { Progress } from "../views/progress.ts";
import { serviceWatcher } from "../views/service.ts";

export default command({
  about:
    "List the phone numbers of the account and what they point to.\n\nNeeds `operations: [list, numbers]` in the environment, and a service that offers them. Changes nothing.",
  flags: {},
  formats: ["text", "json"],
  examples: [
    ["ivrctl numbers", "all phone numbers, as a table"],
    ["ivrctl numbers --env production --format json", "of a different environment, for a script"],
  ],
  async run(context) {
    const diagnostics = new Diagnostics();
    const needs = { token: true, state: true };
    const endpoint = chosenEndpoint(openConfiguration(context), diagnostics, needs);
    const { root, host } = context;
    if (endpoint !== undefined) reportOperation(endpoint, diagnostics);
    const watcher = serviceWatcher(context);
    const usable = diagnostics.hasErrors ? undefined : endpoint;
    const state = usable && (await readRecorded(context, usable, diagnostics));
    const connection =
      usable && (await openEndpoint(usable, { root, host, watcher, state }, diagnostics));
    const progress = new Progress({ what: "Waiting for the numbers", noun: "number" }, context);
    const found = connection && (await progress.during(read(connection, root, diagnostics)));
    const environment = endpoint?.environment ?? null;
    return {
      exit: found === undefined || diagnostics.hasErrors ? 1 : 0,
      diagnostics: diagnostics.sorted(),
      json: () => ({ environment, ...numbersJson(found) }),
      ...(found && {
        text: (page) => numbersText(found, page),
        notes: numbersNotes(found),
      }),
    };
  },
});

function reportOperation(
  { operations, environment, settings }: Endpoint,
  found: Diagnostics,
): void {
  if (operations.has("numbers")) return;
  found.add(
    "IVR424",
    settings.place,
    `The environment \`${environment}\` does not have the operation \`numbers\`.`,
    {
      words: `Add \`operations: [list, numbers]\` if the service offers them. To find out, run:`,
      argv: suggest("doctor", [], environment),
    },
  );
}

async function read(
  connection: Connection,
  root: string,
  diagnostics: Diagnostics,
): Promise<AccountNumbers | undefined> {
  const { service, environment } = connection;
  try {
    const numbers = await service.listNumbers();
    if (numbers.kind === "refused")
      return report(numbers, "phone numbers", connection, diagnostics);
    const menus = await service.listMenus();
    if (menus.kind === "refused") return report(menus, "menus", connection, diagnostics);
    // The names of agents are a help. Without a list, their extension ids are shown.
    const agents = readSnapshot(new DiskFiles(root), environment, new Diagnostics());
    const names = [...menus.items, ...menus.unreadable].flatMap(
      ({ id, name }): [string, string][] => (id === null ? [] : [[id, name ?? "without a name"]]),
    );
    const { items, unreadable } = numbers;
    return { numbers: items, unreadable, menus: new Map(names), agents };
  } finally {
    await connection.close();
  }
}

function report(
  { problem }: Refusal,
  what: string,
  { address, place, environment }: Connection,
  diagnostics: Diagnostics,
): undefined {
  diagnostics.add(
    "IVR503",
    place,
    `The list of ${what} of ${address} is not available: ${problem}.`,
    { words: "To test the service, run:", argv: suggest("doctor", [], environment) },
  );
}
