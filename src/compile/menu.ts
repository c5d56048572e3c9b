import type { Span } from "../diagnostics/source.ts";
import type { Agent, Marks } from "./agents.ts";

/** A menu whose every reference is settled: what callers will meet. */
export interface BoundMenu {
  readonly name: string;
  readonly description: string;
  readonly recording: Recording;
  /** At least one, in the order written. */
  readonly options: readonly BoundOption[];
  readonly invalid: {
    readonly retries: string;
    readonly recording: Recording;
    readonly destination: Destination;
  };
  readonly timeout: {
    readonly wait: string;
    readonly retries: string;
    readonly retryRecording: Recording;
    readonly recording: Recording;
    readonly destination: Destination;
  };
  readonly extra: { readonly timeoutRetries?: string; readonly recordingInvalid?: Recording };
}

export interface BoundOption {
  readonly key: string;
  readonly destination: Destination;
  readonly for?: string;
  readonly sms?: string;
}

export interface Recording {
  readonly id: string;
  readonly alias?: string;
  readonly says?: string;
  readonly seconds?: number;
  /** Where the two stand. */
  readonly saysAt?: Span;
  readonly secondsAt?: Span;
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
