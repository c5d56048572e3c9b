import { Agents, fromListed } from "../../src/project/agent-list.ts";
import { readConfig } from "../../src/project/config-file.ts";
import { chooseEnvironment } from "../../src/project/environment.ts";
import { importedMenu, readPayloads } from "../../src/import/payloads.ts";
import { type MenuText, menuWriter } from "../../src/import/write-menu.ts";
import { type Diagnostic, Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import type { ListedAgent } from "../../src/schema/agent.ts";

export interface Given {
  readonly config?: string;
  /** Undefined if there is no agent list. */
  readonly agents?: readonly ListedAgent[] | undefined;
}

export interface Imported {
  readonly menus: readonly MenuText[];
  readonly diagnostics: readonly Diagnostic[];
  /** The codes with line and column, for example `IVR655 3:7`, sorted by position. */
  readonly faults: readonly string[];
}

/** Imports a text without reading or writing files. */
export function importText(text: string, given: Given = {}): Imported {
  const found = new Diagnostics();
  const environment =
    given.config === undefined ? plainEnvironment : environmentIn(given.config, found);
  const payloads = readPayloads(new Source("pasted", text), found).map((payload) =>
    importedMenu(payload, environment),
  );
  const agents = "agents" in given ? given.agents : staff;
  const list = agents && new Agents(agents.map(fromListed));
  const write = menuWriter({ environment, agents: list, folders: [] }, payloads);
  const place = { file: "ivrs/menu.yaml", isOrdered: true };
  const menus = payloads.flatMap((payload) => write(payload, place, found) ?? []);
  const diagnostics = found.sorted();
  return {
    menus,
    diagnostics,
    faults: diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`),
  };
}

function environmentIn(text: string, found: Diagnostics) {
  const config = readConfig(new Source("ivrctl.yaml", text), found);
  const environment = config && chooseEnvironment(config, undefined, {}, found);
  if (environment === undefined) throw new Error("no environment");
  return environment;
}

const plainEnvironment = environmentIn(
  `version: 1
default_environment: sandbox
environments: { sandbox: { service: sandbox } }
`,
  new Diagnostics(),
);

const staff: readonly ListedAgent[] = [
  { id: 1, name: "Asha Rao", eid: "500101", intercom: "1001", team_name: "Sales" },
  { id: 2, name: "Ravi Kumar", eid: "500102", intercom: "1002", team_name: "Billing" },
  { id: 3, name: "Ravi Kumar", eid: "500103", intercom: "1003", team_name: "Sales" },
  { id: 4, name: "Front Desk", eid: "500104", intercom: "1004", team_name: null },
  { id: 5, name: "Meera Joshi", eid: "500105", intercom: "1005", custom_status: 1 },
];

/** A valid payload. */
export const payload = {
  name: "Front desk",
  description: "First menu",
  recording: "recording||10",
  timeout: "5",
  option: ["1", "2"],
  destination: ["extension||500101", "extension||500102"],
  incorrect_count: "2",
  invalid_recording: "recording||11",
  invalid_destination: "extension||500104",
  timeout_retry_recording: "recording||12",
  timeout_recording: "recording||13",
  timeout_destination: "extension||500104",
  timeout_tries: "2",
} as const;
