import type { AgentDestination, Menu, Option, OtherDestination, Recording } from "./menu.ts";

/**
 * A complete menu, through which calls can be simulated: from the files, from a git revision or from the
 * list of the service. Some of its destinations may not be reachable. The preview page gets it as JSON.
 */
export type CallMenu = Menu<CallDestination, CallRecording> & { readonly key: string };

export type CallOption = Option<CallDestination>;

export interface CallRecording extends Recording {
  readonly says?: string;
  readonly seconds?: number;
  /** The language of the words: `en-IN`. */
  readonly language?: string;
}

export type CallDestination =
  | (AgentDestination & {
      readonly name: string;
      readonly team: string | null;
      readonly blocked: boolean;
      /** Whether the reference does not mean this agent any more. Such an agent counts as blocked. */
      readonly isLost?: true;
    })
  | { readonly kind: "menu"; readonly key: string }
  | OtherDestination
  /** An agent that the menu names, but that cannot get calls. */
  | {
      readonly kind: "unreachable";
      readonly name: string;
      readonly why: "not-listed" | "several" | "no-extension";
    }
  /** A menu that the call cannot continue in. */
  | {
      readonly kind: "unreachable";
      readonly name: string;
      /** `gone` is a menu that the service does not have. */
      readonly why: "no-menu" | "invalid-menu" | "gone";
      readonly key: string;
    };

/** A key as the menu writes it, or silence. */
export type Press = string;

/** What a press counts as, and how a call reaches its destination: a key of the menu, wrong keys, or silence. */
export type Via = "option" | "invalid" | "timeout";

/** A path through a menu: what callers do, and where that goes. */
export interface CallPath<D = CallDestination> {
  readonly via: Via;
  /** The key; undefined for wrong keys and silence. */
  readonly key?: Press;
  /** The purpose of the key, as callers hear it. */
  readonly for?: string;
  /** How often the menu asks again after wrong keys or silence, and how long it waits. */
  readonly retries?: string;
  readonly wait?: string;
  readonly destination: D;
}

/** The paths of a menu: its keys in the order announced, then wrong keys and silence. */
export function pathsOf<D>(menu: Menu<D, unknown>): CallPath<D>[] {
  return [
    ...menu.options.map((option) => ({ via: "option" as const, ...option })),
    {
      via: "invalid",
      retries: menu["invalid.retries"],
      destination: menu["invalid.destination"],
    },
    {
      via: "timeout",
      wait: menu["timeout.wait"],
      retries: menu["timeout.retries"],
      destination: menu["timeout.destination"],
    },
  ];
}

/** The keys of the menus that a menu links to, in the order of its keys. */
export function linksOf(menu: CallMenu | undefined): string[] {
  const paths = menu ? pathsOf(menu) : [];
  return paths.flatMap(({ destination: to }) => (to.kind === "menu" ? to.key : []));
}

/** The name of a path: `key 2`, `invalid` or `timeout`. */
export function pathName({ via, key }: Pick<CallPath, "via" | "key">): string {
  return via === "option" ? `key ${key}` : via;
}
