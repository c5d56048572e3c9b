import { type Agent, type Agents, type Marks, marks } from "../compile/agents.ts";
import type { Environment } from "../compile/environment.ts";
import { aliasedRecording, bareRecording } from "../compile/resolve/aliases.ts";
import type {
  Placed,
  Reached,
  SeenMenu,
  SeenOption,
  SeenRecording,
  SmsTemplate,
} from "../compile/seen.ts";
import { type Sources, type Tape, TapeReader, TapeWriter } from "./tape.ts";

// What a menu was seen to say. What stands in the configuration or on the agent list is
// named, not repeated: both are the same, or this is not read.

export function writeSeen(
  seen: SeenMenu,
  sources: Sources,
  indexOf: (agent: Agent) => number | undefined,
): Tape | undefined {
  const writer = new Writer(new TapeWriter(sources), indexOf);
  return writer.menu(seen);
}

/** Undefined where it does not fit the environment and the agents. */
export function readSeen(
  tape: Tape,
  sources: Sources,
  environment: Environment,
  agents: Agents | undefined,
): SeenMenu | undefined {
  const reader = new TapeReader(tape, sources);
  const seen = new Reader(reader, environment, agents).menu();
  return reader.isDone ? seen : undefined;
}

const reachedKinds = ["extension", "other", "unchecked"] as const;
const recordingKinds = ["alias", "id"] as const;

class Writer {
  readonly #to: TapeWriter;
  readonly #indexOf: (agent: Agent) => number | undefined;

  constructor(to: TapeWriter, indexOf: (agent: Agent) => number | undefined) {
    this.#to = to;
    this.#indexOf = indexOf;
  }

  menu({ invalid, timeout, extra, ...menu }: SeenMenu): Tape | undefined {
    this.#text(menu.name);
    this.#text(menu.description);
    this.#recording(menu.recording);
    this.#to.optional(menu.optionsAt, (at) => this.#to.span(at));
    this.#to.optional(menu.options, (options) =>
      this.#to.list(options, (option) => this.#option(option)),
    );
    this.#text(invalid.retries);
    this.#recording(invalid.recording);
    this.#reached(invalid.destination);
    this.#text(timeout.wait);
    this.#text(timeout.retries);
    this.#recording(timeout.retryRecording);
    this.#recording(timeout.recording);
    this.#reached(timeout.destination);
    this.#text(extra.timeoutRetries);
    this.#recording(extra.recordingInvalid);
    return this.#to.sound ? this.#to.tape : undefined;
  }

  #option(option: SeenOption): void {
    this.#to.word(option.key);
    this.#to.span(option.keyAt);
    this.#text(option.for);
    this.#to.optional(option.sms, ({ id, alias }) => {
      this.#to.word(id);
      this.#to.optional(alias, (name) => this.#to.word(name));
    });
    this.#reached(option.destination);
  }

  #text(text: Placed<string> | undefined): void {
    this.#to.optional(text, ({ value, at }) => {
      this.#to.word(value);
      this.#to.span(at);
    });
  }

  #recording(recording: SeenRecording | undefined): void {
    this.#to.optional(recording, ({ value: { alias, id }, at }) => {
      this.#to.number(recordingKinds.indexOf(alias === undefined ? "id" : "alias"));
      this.#to.word(alias ?? id);
      this.#to.span(at);
    });
  }

  #reached(reached: Reached | undefined): void {
    this.#to.optional(reached, (own) => {
      if (own.kind === "nobody") {
        // That is a fault, and menus with one are not kept.
        this.#to.sound = false;
        return;
      }
      this.#to.number(reachedKinds.indexOf(own.kind));
      this.#to.span(own.span);
      if (own.kind === "other") {
        this.#to.word(own.name);
        this.#to.word(own.id);
        return;
      }
      this.#reference(own.reference);
      if (own.kind === "unchecked") return;
      const index = this.#indexOf(own.agent);
      if (index === undefined) this.#to.sound = false;
      this.#to.number(index ?? 0);
      this.#to.word(own.eid);
    });
  }

  /** In its own order, which the state and plans keep. */
  #reference(reference: Marks): void {
    const given = Object.entries(reference).filter(([, value]) => value !== undefined);
    this.#to.list(given, ([mark, value]) => {
      this.#to.number(marks.findIndex((known) => known === mark));
      this.#to.word(value);
    });
  }
}

class Reader {
  readonly #from: TapeReader;
  readonly #environment: Environment;
  readonly #agents: Agents | undefined;

  constructor(from: TapeReader, environment: Environment, agents: Agents | undefined) {
    this.#from = from;
    this.#environment = environment;
    this.#agents = agents;
  }

  menu(): SeenMenu {
    return {
      name: this.#text(),
      description: this.#text(),
      recording: this.#recording(),
      optionsAt: this.#from.optional(() => this.#from.span()),
      options: this.#from.optional(() => this.#from.list(() => this.#option())),
      invalid: {
        retries: this.#text(),
        recording: this.#recording(),
        destination: this.#reached(),
      },
      timeout: {
        wait: this.#text(),
        retries: this.#text(),
        retryRecording: this.#recording(),
        recording: this.#recording(),
        destination: this.#reached(),
      },
      extra: { timeoutRetries: this.#text(), recordingInvalid: this.#recording() },
    };
  }

  #option(): SeenOption {
    return {
      key: this.#from.word(),
      keyAt: this.#from.span(),
      for: this.#text(),
      sms: this.#from.optional(() => this.#sms()),
      destination: this.#reached(),
    };
  }

  #sms(): SmsTemplate {
    const id = this.#from.word();
    const alias = this.#from.optional(() => this.#from.word());
    return alias === undefined ? { id } : { id, alias };
  }

  #text(): Placed<string> | undefined {
    return this.#from.optional(() => ({ value: this.#from.word(), at: this.#from.span() }));
  }

  #recording(): SeenRecording | undefined {
    return this.#from.optional(() => {
      const kind = recordingKinds[this.#from.number()];
      const [name, at] = [this.#from.word(), this.#from.span()];
      if (kind === "id") return bareRecording(name, at);
      const alias = this.#environment.recordings.get(name);
      return alias === undefined
        ? this.#misfit()
        : aliasedRecording(alias.id.text, alias, name, at);
    });
  }

  #reached(): Reached | undefined {
    return this.#from.optional((): Reached | undefined => {
      const kind = reachedKinds[this.#from.number()];
      const span = this.#from.span();
      if (kind === "other") return { kind, name: this.#from.word(), id: this.#from.word(), span };
      const reference = this.#reference();
      if (kind === "unchecked") return { kind, reference, span };
      const agent = this.#agents?.at(this.#from.number());
      const eid = this.#from.word();
      // The same list has the same agent there; one look more costs nothing.
      if (kind === undefined || agent?.eid !== eid) return this.#misfit();
      return { kind, eid, agent, reference, span };
    });
  }

  #reference(): Marks {
    const reference: Marks = {};
    this.#from.list(() => {
      const mark = marks[this.#from.number()];
      const value = this.#from.word();
      if (mark === undefined) this.#misfit();
      else reference[mark] = value;
    });
    return reference;
  }

  #misfit(): undefined {
    this.#from.sound = false;
  }
}
