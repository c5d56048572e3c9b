import type { Span } from "../diagnostics/source.ts";
import type { Agent, Marks } from "./agents.ts";

/** A menu whose every reference is settled: what callers will meet. */
export interface BoundMenu<D = Destination> {
  readonly name: string;
  readonly description: string;
  readonly recording: Recording;
  /** At least one, in the order written. */
  readonly options: readonly BoundOption<D>[];
  readonly invalid: {
    readonly retries: string;
    readonly recording: Recording;
    readonly destination: D;
  };
  readonly timeout: {
    readonly wait: string;
    readonly retries: string;
    readonly retryRecording: Recording;
    readonly recording: Recording;
    readonly destination: D;
  };
  readonly extra: { readonly timeoutRetries?: string; readonly recordingInvalid?: Recording };
}

export interface BoundOption<D = Destination> {
  readonly key: string;
  readonly destination: D;
  readonly for?: string;
  readonly sms?: string;
}

export interface Recording {
  readonly id: string;
  readonly alias?: string;
  readonly says?: string;
  readonly seconds?: number;
}

export type Destination =
  | {
      readonly kind: "extension";
      readonly eid: string;
      readonly agent: Agent;
      /** How the menu says whom it means. */
      readonly reference: Marks;
      readonly span: Span;
    }
  | { readonly kind: "other"; readonly name: string; readonly id: string; readonly span: Span };

/** Named by a menu, and no call can be sent there; told as an error where it stands. */
export type Nobody = {
  readonly kind: "nobody";
  readonly reference: Marks;
  readonly span: Span;
} & (
  | { readonly why: "not-listed" | "several" }
  | { readonly why: "no-extension"; readonly agent: Agent }
);

/** A menu that says all it must, though some of whom it names may not be there. */
export type DrawnMenu = BoundMenu<Destination | Nobody>;

export function isBound(menu: DrawnMenu): menu is BoundMenu {
  return [...menu.options, menu.invalid, menu.timeout].every(
    ({ destination }) => destination.kind !== "nobody",
  );
}
