import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Agents } from "../compile/agents.ts";
import type { Environment } from "../project/environment.ts";
import { canonicalKey } from "../compile/options.ts";
import { type Entry, type Node, field, isNull } from "../yaml/node.ts";
import {
  type Context,
  resolveDestination,
  resolveRecording,
  resolveSmsTemplate,
} from "../compile/references.ts";
import { destinationText } from "../compile/menu.ts";
import type { ImportedPayload } from "./payload.ts";

/**
 * What the defaults of the project send for each field, so that a menu need not repeat it. A
 * default that cannot be resolved is undefined, and the menu then has its own value. A path is for
 * example `invalid.recording`.
 */
export class Presets {
  readonly #defaults: Node | undefined;
  readonly #environment: Environment;
  readonly #agents: Agents | undefined;

  constructor(environment: Environment, agents: Agents | undefined) {
    this.#defaults = environment.defaults;
    this.#environment = environment;
    this.#agents = agents;
  }

  /** Whether there is a default, resolved or not. */
  has(path: string): boolean {
    return this.#at(path) !== undefined;
  }

  text(path: string): string | undefined {
    const node = this.#at(path);
    return node?.kind === "scalar" && !this.#environment.unset.has(node) ? node.text : undefined;
  }

  /** The id of the recording. */
  recording(path: string): string | undefined {
    const node = this.#at(path);
    return node && this.#resolve((context) => resolveRecording(node, context)?.value.id);
  }

  /** The destination, as `<kind>||<id>`. */
  destination(path: string): string | undefined {
    const node = this.#at(path);
    return node && this.#destination(node);
  }

  /** The default options, in the order in which they come after those of the menu. */
  options(): { readonly key: string; readonly sends: string | undefined }[] {
    const options = this.#at("options");
    if (options?.kind !== "map") return [];
    return options.entries
      .filter(({ value }) => !isNull(value))
      .map((option) => ({ key: canonicalKey(option.key.text), sends: this.#option(option) }));
  }

  /** Sorts options by key. Those that the defaults provide come last, so that a menu can leave them out. */
  inOrder(options: ImportedPayload["options"]): ImportedPayload["options"] {
    const presets = this.options();
    const none = this.#environment.wire.noSmsTemplate();
    const rank = ({ key, destination, sms }: ImportedPayload["options"][number]) => {
      const template = sms === undefined || sms.text === none ? "" : sms.text;
      const sends = optionOnWire(destination.text, template);
      return 1 + presets.findIndex((own) => own.key === key.text && own.sends === sends);
    };
    // On a phone, 0 comes after 9.
    const place = (key: string) => (key === "0" ? 10 : /^\d+$/.test(key) ? Number(key) : 11);
    return options.toSorted((a, b) => rank(a) - rank(b) || place(a.key.text) - place(b.key.text));
  }

  #option({ value }: Entry): string | undefined {
    const destination = this.#destination(value);
    const sms = field(value, "sms");
    const template =
      sms === undefined ? "" : this.#resolve((context) => resolveSmsTemplate(sms, context)?.id);
    return destination === undefined || template === undefined
      ? undefined
      : optionOnWire(destination, template);
  }

  #destination(node: Node): string | undefined {
    return this.#resolve((context) => destinationText(resolveDestination(node, node, context)));
  }

  #at(path: string): Node | undefined {
    return path.split(".").reduce<Node | undefined>(field, this.#defaults);
  }

  /** The result, unless there is an error. */
  #resolve(resolve: (context: Context) => string | undefined): string | undefined {
    const diagnostics = new Diagnostics();
    const result = resolve({
      environment: this.#environment,
      agents: this.#agents,
      validity: { invalidNodes: this.#environment.unset, misspelled: new Set() },
      diagnostics,
    });
    return diagnostics.hasErrors ? undefined : result;
  }
}

/** The destination and SMS template of an option as one text to compare. `template` is "" for none. */
export function optionOnWire(destination: string, template: string): string {
  return JSON.stringify([destination, template]);
}
