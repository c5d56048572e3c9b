import type { Span } from "../diagnostics/source.ts";
import { digits, idPattern } from "../schema/common.ts";
import type { Environment, RecordingAlias } from "../project/environment.ts";
import { didYouMean, shorten } from "../util/nearest.ts";
import { type Node, type ScalarNode, textField } from "../yaml/node.ts";
import type { ResolvedRecording, SmsTemplate } from "./menu.ts";
import { expand } from "../project/variables.ts";
import type { Context } from "./resolve-context.ts";

/** Recordings and SMS templates: aliases to ids. */
export class Aliases {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  recording(node: Node): ResolvedRecording | undefined {
    const { environment, diagnostics } = this.#context;
    const explicit = explicitId(node);
    if (explicit !== undefined) return this.#byId(explicit, node);
    if (node.kind !== "scalar") return undefined;
    const prefixed = /^recording\|\|(.*)$/s.exec(node.text)?.[1];
    if (prefixed !== undefined) {
      if (idPattern.test(prefixed)) return this.#byId(prefixed, node);
      diagnostics.add("IVR206", node, "After `recording||` stands an id, without spaces and `||`.");
      return undefined;
    }
    if (environment === undefined) return undefined;
    const alias = environment.recordings.get(node.text);
    if (alias !== undefined) {
      const id = this.#aliasId(alias.id, environment, `the recording \`${node.text}\``);
      return id === undefined ? undefined : aliasedRecording(id, alias, node.text, node);
    }
    const elsewhere = environment.elsewhere.get(node.text);
    diagnostics.add(
      "IVR307",
      node,
      `There is no recording \`${shorten(node.text)}\`${elsewhere === undefined ? "" : ` in the environment \`${environment.name}\``}.`,
      elsewhere === undefined
        ? (didYouMean(environment.nearestRecordings(node.text)) ??
            "Add it to `recordings:`, or write { id: … } if it is an id.")
        : `Only \`${elsewhere}\` has it; add it to \`recordings:\` at the top level or for \`${environment.name}\`.`,
    );
    return undefined;
  }

  /** What is known of a recording is known of it however it is referred to. */
  #byId(id: string, at: Span): ResolvedRecording {
    const { environment } = this.#context;
    const name = environment?.recordingAlias(id);
    const alias = name === undefined ? undefined : environment?.recordings.get(name);
    return name === undefined || alias === undefined
      ? bareRecording(id, at)
      : aliasedRecording(id, alias, name, at);
  }

  smsTemplate(node: Node): SmsTemplate | undefined {
    const { environment, diagnostics } = this.#context;
    if (environment === undefined) return undefined;
    if (!environment.smsTemplatesEnabled) {
      diagnostics.add(
        "IVR309",
        node,
        `SMS templates are not switched on for the environment \`${environment.name}\`.`,
        "Where the account has them, say `sms_templates_enabled: true`.",
      );
      return undefined;
    }
    const explicit = explicitId(node);
    if (explicit !== undefined) return { id: explicit };
    if (node.kind !== "scalar") return undefined;
    const alias = environment.smsTemplates.get(node.text);
    if (alias !== undefined) {
      const id = this.#aliasId(alias, environment, `the SMS template \`${node.text}\``);
      return id === undefined ? undefined : { id, alias: node.text };
    }
    diagnostics.add(
      "IVR308",
      node,
      `There is no SMS template \`${shorten(node.text)}\`.`,
      didYouMean(environment.nearestSmsTemplates(node.text)) ??
        "Add it to `sms_templates:`, or write { id: … } if it is an id.",
    );
    return undefined;
  }

  #aliasId(node: ScalarNode, environment: Environment, what: string): string | undefined {
    const { diagnostics } = this.#context;
    const id = expand(node, environment.variables, diagnostics);
    if (id === undefined) return undefined;
    if (idPattern.test(id)) return id;
    // The schema has told of a literal one already.
    if (id !== node.text) {
      diagnostics.add(
        "IVR206",
        node,
        `The variable gives no id for ${what}: text without spaces and \`||\`.`,
      );
    }
    return undefined;
  }
}

function bareRecording(id: string, at: Span): ResolvedRecording {
  return { value: { id }, at, saysAt: undefined, secondsAt: undefined };
}

function aliasedRecording(
  id: string,
  { says, seconds }: RecordingAlias,
  alias: string,
  at: Span,
): ResolvedRecording {
  return {
    value: {
      id,
      alias,
      ...(says && { says: says.value }),
      ...(seconds && { seconds: seconds.value }),
    },
    at,
    saysAt: says?.at,
    secondsAt: seconds?.at,
  };
}

function explicitId(node: Node): string | undefined {
  if (node.kind === "scalar") return digits.test(node.text) ? node.text : undefined;
  const id = textField(node, "id");
  return id !== undefined && idPattern.test(id) ? id : undefined;
}
