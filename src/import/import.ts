import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import type { Payload } from "../schema/wire.ts";
import { type Agent, Agents } from "../compile/agents.ts";
import { compileMenus } from "../compile/compile-project.ts";
import type { Environment } from "../project/environment.ts";
import { format } from "../yaml/format/format.ts";
import { type MenuText, type Surroundings, writeMenu } from "./menu-text.ts";
import { type ReadFile, readPasted } from "./pasted.ts";
import { type GivenPayload, judge } from "./payload.ts";
import { Presets } from "./presets.ts";
import { References } from "./references.ts";
import { namesTemplates } from "./wire-values.ts";

/** What payloads are turned into menus with. */
export interface Project {
  readonly environment: Environment;
  /** Without a list, agents stay extension ids. */
  readonly agents: Agents | undefined;
}

/** Every payload of a text. With an error among the diagnostics it is not to be used. */
export function readPayloads(
  source: Source,
  readFile: ReadFile,
  diagnostics: Diagnostics,
): GivenPayload[] {
  return readPasted(source, readFile, diagnostics).flatMap(
    (candidate) => judge(candidate, diagnostics) ?? [],
  );
}

/** Writes menus of payloads for one project. */
export class MenuWriter {
  readonly #project: Project;
  readonly #surroundings: Omit<Surroundings, "head">;
  readonly #reachable: Reachable;

  constructor(project: Project) {
    const { environment, agents } = project;
    this.#project = project;
    this.#reachable = new Reachable(agents);
    this.#surroundings = {
      environment,
      references: new References(agents, environment),
      presets: new Presets(environment, agents),
    };
  }

  /** The text of a menu that is proven to compile to the payload; nothing where there is none. */
  write(
    payload: GivenPayload,
    head: readonly string[],
    diagnostics: Diagnostics,
  ): MenuText | undefined {
    const found = new Diagnostics();
    const lines =
      this.#project.agents === undefined
        ? [...head, "# No agent list was at hand: agents stand by their extension ids."]
        : head;
    const menu = writeMenu(payload, { ...this.#surroundings, head: lines }, found);
    diagnostics.addAll(found);
    if (found.hasErrors) return undefined;
    if (this.#isProven(menu.text, payload)) return menu;
    diagnostics.add(
      "IVR656",
      payload.at,
      "No menu could be written that certainly compiles to this payload.",
      "Nothing may be wrong with it. Please report it, without names and numbers that are not for others.",
    );
    return undefined;
  }

  #isProven(text: string, payload: GivenPayload): boolean {
    const source = new Source("ivrs/imported.yaml", text);
    if (format(source, new Diagnostics()) !== text) return false;
    const { environment } = this.#project;
    const agents = this.#reachable.by(payload);
    const { compiled } = compileMenus({ sources: [source], environment, agents });
    const [menu] = compiled.values();
    return menu !== undefined && sameOnWire(menu.payload, payload, environment);
  }
}

/**
 * The list as it would have to be for a menu to be valid: what a payload says is
 * to be kept also where an agent is gone, blocked or shares an extension.
 */
class Reachable {
  readonly #list = new Map<string | symbol, Agent>();
  #agents: Agents;

  constructor(agents: Agents | undefined) {
    for (const agent of agents?.list ?? []) {
      const eid = agent.eid ?? Symbol("no eid");
      if (!this.#list.has(eid)) this.#list.set(eid, { ...agent, blocked: false });
    }
    this.#agents = new Agents([...this.#list.values()]);
  }

  by({ options, invalid, timeout }: GivenPayload): Agents {
    const destinations = [...options, invalid, timeout].map(({ destination }) => destination.text);
    const strangers = destinations.flatMap((text) => {
      const eid = /^extension\|\|([^]*)$/.exec(text)?.[1];
      return eid === undefined || this.#list.has(eid) ? [] : eid;
    });
    if (strangers.length > 0) {
      for (const eid of strangers) this.#list.set(eid, { ...nobody, eid });
      this.#agents = new Agents([...this.#list.values()]);
    }
    return this.#agents;
  }
}

const nobody: Agent = {
  id: null,
  name: "",
  eid: null,
  intercom: null,
  team: null,
  departments: [],
  blocked: false,
};

/** Whether both say the same, numbers in either form. */
function sameOnWire(compiled: Payload, given: GivenPayload, { wire }: Environment): boolean {
  const { invalid, timeout, extra, options } = given;
  const templates = namesTemplates(given, wire) ? options.map(({ sms }) => sms?.text) : undefined;
  return (
    JSON.stringify([
      compiled.name,
      compiled.description,
      compiled.recording,
      String(compiled.timeout),
      compiled.option.map(String),
      compiled.destination,
      String(compiled.incorrect_count),
      compiled.invalid_recording,
      compiled.invalid_destination,
      compiled.timeout_retry_recording,
      compiled.timeout_recording,
      compiled.timeout_destination,
      String(compiled.timeout_tries),
      compiled.sms_template,
      compiled.timeout_retries,
      compiled.recording_invalid,
    ]) ===
    JSON.stringify([
      given.name.text,
      given.description.text,
      given.recording.text,
      timeout.wait.text,
      options.map(({ key }) => key.text),
      options.map(({ destination }) => destination.text),
      invalid.retries.text,
      invalid.recording.text,
      invalid.destination.text,
      timeout.retry_recording.text,
      timeout.recording.text,
      timeout.destination.text,
      timeout.retries.text,
      templates,
      extra.timeout_retries && Number(extra.timeout_retries.text),
      extra.recording_invalid?.text,
    ])
  );
}
