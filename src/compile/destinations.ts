import type { Span } from "../diagnostics/source.ts";
import { digits, idPattern } from "../schema/common.ts";
import { type Agent, type Agents, type Mark, type Marks, marks, tellingMarks } from "./agents.ts";
import { didYouMean, shorten } from "../util/nearest.ts";
import { type MapNode, type Node, type ScalarNode, field } from "../yaml/node.ts";
import type { Reached } from "./menu.ts";
import type { Context } from "./resolve-context.ts";

/** What YAML would take for a number. */
const numberLike =
  /^[-+]?(?:0x[0-9a-fA-F]+|0o[0-7]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/;

/** Agent references, and the other kinds of destination, to who is meant. */
export class Destinations {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** `owner` is the key that the reference stands under. */
  resolve(node: Node, owner: Span): Reached | undefined {
    if (node.kind === "scalar") return this.#shorthand(node);
    return node.kind === "map" ? this.#reference(node, owner) : undefined;
  }

  #shorthand(node: ScalarNode): Reached | undefined {
    const typed = /^([^\s|]+)\|\|(.*)$/s.exec(node.text);
    if (typed !== null) return this.#typed(typed[1] ?? "", typed[2] ?? "", node, node);
    const isNumber = digits.test(node.text) || (node.plain && numberLike.test(node.text));
    if (!isNumber) return this.#agent({ agent: node.text }, node);
    this.#bareNumber(node.text, node);
    return undefined;
  }

  #bareNumber(number: string, span: Span): void {
    this.#context.diagnostics.add(
      "IVR303",
      span,
      `A bare number does not say whom it means: ${shorten(number)}.`,
      `Write { intercom: "${number}" } or { eid: "${number}" }, or the agent's name.`,
    );
  }

  #reference(node: MapNode, owner: Span): Reached | undefined {
    const { diagnostics, validity } = this.#context;
    const kind = field(node, "kind");
    if (kind?.kind === "scalar") return this.#withKind(node, kind, owner);
    const given = marks.filter((mark) => field(node, mark) !== undefined);
    const [first] = given;
    if (first === undefined) {
      if (!validity.misspelt.has(node)) {
        diagnostics.add(
          "IVR208",
          owner,
          "Nothing here says where the call goes.",
          `Add \`agent:\`, or another of ${marks.slice(1).join(", ")}.`,
        );
      }
      return undefined;
    }
    const wanted: Marks = {};
    for (const mark of given) {
      const value = field(node, mark);
      if (value?.kind !== "scalar" || validity.faulty.has(value)) return undefined;
      wanted[mark] = value.text;
    }
    const eid = /^extension\|\|(.+)$/s.exec(wanted.agent ?? "")?.[1];
    if (eid !== undefined && (wanted.eid ?? eid) === eid) {
      delete wanted.agent;
      wanted.eid = eid;
    }
    return this.#agent(wanted, field(node, first) ?? owner);
  }

  #withKind(node: MapNode, kind: ScalarNode, owner: Span): Reached | undefined {
    const { diagnostics } = this.#context;
    const other = marks.find((mark) => mark !== "id" && field(node, mark) !== undefined);
    if (other !== undefined) {
      diagnostics.add(
        "IVR310",
        field(node, other) ?? owner,
        "A destination with `kind` has an `id` and nothing else.",
        "Remove this, or `kind:` if an agent is meant.",
      );
      return undefined;
    }
    const id = field(node, "id");
    if (id?.kind === "scalar") return this.#typed(kind.text, id.text, kind, id);
    if (id === undefined)
      diagnostics.add("IVR202", owner, "A destination with `kind` needs an `id`.");
    return undefined;
  }

  /** `<kind>||<id>`, in one text or in a mapping. */
  #typed(kind: string, id: string, kindSpan: Span, idSpan: Span): Reached | undefined {
    const { environment, diagnostics } = this.#context;
    if (!idPattern.test(id)) {
      diagnostics.add(
        "IVR206",
        idSpan,
        `After \`${kind}||\` stands an id, without spaces and \`||\`.`,
      );
      return undefined;
    }
    if (kind === "extension") return this.#agent({ eid: id }, idSpan);
    if (environment === undefined) return undefined;
    if (environment.wire.destinationKinds.has(kind)) {
      return { kind: "other", name: kind, id, span: idSpan };
    }
    const allowed = [...environment.wire.destinationKinds];
    diagnostics.add(
      "IVR310",
      kindSpan,
      `The destination kind \`${kind}\` is not allowed${allowed.length === 0 ? "" : `; extension and ${allowed.join(", ")} are`}.`,
      `The service's document shows only extension. If yours takes it: wire: { destination_kinds: [${kind}] }.`,
    );
    return undefined;
  }

  #agent(wanted: Marks, span: Span): Reached | undefined {
    const { agents } = this.#context;
    if (agents === undefined) return { kind: "unchecked", reference: wanted, span };
    const [found, ...others] = agents.find(wanted);
    if (found === undefined) {
      this.#notFound(wanted, span, agents);
      return { kind: "nobody", why: "not-listed", reference: wanted, span };
    }
    if (others.length > 0) {
      this.#ambiguous(wanted, [found, ...others], span);
      return { kind: "nobody", why: "several", reference: wanted, span };
    }
    // Whether that will do is for the rules to say.
    if (found.eid === null || !idPattern.test(found.eid)) {
      return { kind: "nobody", why: "no-extension", agent: found, reference: wanted, span };
    }
    return { kind: "extension", eid: found.eid, agent: found, reference: wanted, span };
  }

  #notFound(wanted: Marks, span: Span, agents: Agents): void {
    const { diagnostics } = this.#context;
    const code = "IVR301";
    const { agent: name, ...rest } = wanted;
    const mark = marks.find((candidate) => wanted[candidate] !== undefined);
    if (
      name !== undefined &&
      Object.keys(rest).length > 0 &&
      agents.with("agent", name).length > 0
    ) {
      diagnostics.add(
        code,
        span,
        `${name} is on the agent list, but not with ${described(rest)}.`,
        `The list has ${agents.with("agent", name).slice(0, maxListed).map(portrait).join("; ")}.`,
      );
    } else if (name !== undefined && digits.test(name)) {
      this.#bareNumber(name, span);
    } else if (name !== undefined) {
      const names = agents.nearest("agent", name);
      diagnostics.add(
        code,
        span,
        `No agent is called \`${shorten(name)}\`.`,
        didYouMean(names) ?? "`ivrctl agents list` shows who there is.",
      );
    } else {
      const near =
        mark === "team" || mark === "department" ? agents.nearest(mark, wanted[mark] ?? "") : [];
      diagnostics.add(
        code,
        span,
        `No agent has ${described(wanted)}.`,
        didYouMean(near) ?? "`ivrctl agents list` shows who there is.",
      );
    }
  }

  #ambiguous(wanted: Marks, found: readonly Agent[], span: Span): void {
    const telling = tellingMarks(found)
      .filter((mark) => wanted[mark] === undefined)
      .slice(0, 2);
    const shown = found.slice(0, maxListed).map(portrait).join("; ");
    const more = found.length > maxListed ? `; and ${found.length - maxListed} more` : "";
    this.#context.diagnostics.add(
      "IVR302",
      span,
      `${found.length} agents have ${described(wanted)}: ${shown}${more}.`,
      telling.length === 0
        ? "Nothing on the list tells them apart: have it set right at the service."
        : `Add ${telling.map((mark) => `\`${mark}:\``).join(" or ")} to say which one.`,
    );
  }
}

const maxListed = 6;

const markWords: Record<Mark, string> = {
  agent: "the name",
  team: "the team",
  department: "the department",
  intercom: "the intercom",
  eid: "the extension id",
  id: "the id",
};

function described(wanted: Marks): string {
  return marks
    .flatMap((mark) =>
      wanted[mark] === undefined ? [] : `${markWords[mark]} ${shorten(wanted[mark])}`,
    )
    .join(" and ");
}

function portrait(agent: Agent): string {
  const traits = [
    `team ${agent.team ?? "none"}`,
    `department ${agent.departments.join(", ") || "none"}`,
    `intercom ${agent.intercom ?? "none"}`,
  ];
  return `${agent.name} (${traits.join(", ")})`;
}
