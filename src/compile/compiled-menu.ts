import type { Placed, Source, Span } from "../diagnostics/source.ts";
import type { FieldsOf } from "../schema/fields.ts";
import type { Menu, SmsTemplate } from "../model/menu.ts";
import type { Agent, AgentReference } from "../project/agent-list.ts";
import type { MapNode, Node } from "../yaml/node.ts";
import type { Test } from "../schema/menu.ts";
import type { VarUser } from "../project/vars.ts";
import type { CallDestination, CallMenu, CallRecording } from "../model/call-menu.ts";

/** A menu as read: a YAML mapping with positions. */
export interface MenuNode {
  /** Undefined if the menu has no valid key. */
  readonly key: string | undefined;
  readonly keyAt: Span;
  readonly root: MapNode;
  readonly source: Source;
  /** Where the menu's document begins. */
  readonly top: Span;
  /** Where the document ends, its last comments included. */
  readonly end: number;
}

/**
 * A menu with defaults applied and references resolved. Each value has its place: in the file
 * of the menu or, for a default, in _defaults.yaml or ivrctl.yaml. A value that is missing or invalid, or that
 * could not be resolved, is undefined.
 */
export interface ResolvedMenu extends Pick<MenuNode, "key" | "keyAt" | "source" | "top">, VarUser {
  /** The name, even if it is invalid. Undefined if it is not text. */
  readonly name: Placed<string> | undefined;
  readonly movedFrom: Placed<string> | undefined;
  /** The key `name` in the _defaults.yaml that gives the menu its name; otherwise `top`. */
  readonly home: Span;
  readonly owner: string | undefined;
  /** Whether the environment has it: false if its `environments:` does not name the environment. */
  readonly isPresent: boolean;
  readonly numbers: readonly Placed<string>[];
  /** Whether calls begin here. Undefined if the other menus decide. */
  readonly entry: boolean | undefined;
  /** Undefined if the environment decides. */
  readonly onChange: "replace" | "refuse" | undefined;
  /** The place of the field name `options`. */
  readonly optionsAt: Span | undefined;
  /** In the order written. */
  readonly options: readonly ResolvedOption[] | undefined;
  /** The other fields that are sent. */
  readonly facts: MenuFacts;
  /** Those of the options, and those after wrong keys and after silence. */
  readonly destinations: readonly ResolvedDestination[];
  readonly tests: WrittenTests | undefined;
  /**
   * The complete menu, in which calls can be simulated. Its destinations may be agents that do not
   * exist. Undefined if it has other errors.
   */
  readonly call: CallMenu | undefined;
}

/** The fields of a menu that are sent, except its options, by their paths in the menu. */
export type MenuFacts = {
  readonly [P in FieldsOf<"text" | "count" | "number">]?: Placed<string>;
} & {
  readonly [P in FieldsOf<"recording">]?: ResolvedRecording;
} & {
  readonly [P in FieldsOf<"destination">]?: ResolvedDestination;
};

/** A menu without errors, and what it is on the service. */
export interface CompiledMenu {
  readonly key: string;
  readonly name: string;
  readonly content: Menu;
  readonly menu: ResolvedMenu;
}

/** The valid tests, with a tree that has their places. */
export interface WrittenTests {
  readonly values: readonly Test[];
  readonly tree: Node;
}

export interface ResolvedRecording extends Placed<CallRecording> {
  /** The places in ivrctl.yaml of the words and the length of the recording. */
  readonly saysAt: Span | undefined;
  readonly secondsAt: Span | undefined;
}

export interface ResolvedOption {
  readonly key: string;
  readonly keyAt: Span;
  readonly for: Placed<string> | undefined;
  readonly sms: SmsTemplate | undefined;
  readonly destination: ResolvedDestination | undefined;
}

/** A destination and its place. Without an agent list, the value of a reference to an agent is undefined. */
export interface ResolvedDestination extends Placed<CallDestination | undefined> {
  /** How the menu refers to the agent. */
  readonly reference?: AgentReference;
  /** The agent, if it can be called. */
  readonly agent?: Agent;
}

/** The keys of the menus that a menu links to, with their places. */
export function menuLinks(menu: ResolvedMenu): Placed<string>[] {
  return menu.destinations.flatMap(({ value, at }) =>
    value?.kind === "menu" ? { value: value.key, at } : [],
  );
}
