import type { Checkout } from "../../workspace/checkout.ts";
import type { Wire } from "../../project/environment.ts";
import type { Agents } from "../../project/agent-list.ts";
import type { Lists } from "../listed/read-account.ts";
import type { HttpService } from "../service/http-service.ts";
import type { Session } from "../state/log/session.ts";
import type { Subject } from "../state/resolve.ts";
import type { Pace } from "../service/pace.ts";
import type { StepOutcome } from "./step-results.ts";
import type { Clock } from "../../util/host.ts";

/** Callbacks for the progress of an apply. */
export interface Watcher {
  sending(key: string): void;
  /** The service did not process the request. It is sent again after `seconds`. */
  waiting(key: string, seconds: number, reason: Pick<StepOutcome, "status" | "message">): void;
  /** The run waits until these recordings are ready, at most so many seconds. */
  making(names: readonly string[], seconds: number): void;
  /** The result is final and recorded. The key is what `sending` was called with. */
  finished(result: StepOutcome): void;
}

export interface ApplyOptions {
  readonly session: Session;
  /** Where the files are from. Undefined without git. */
  readonly checkout?: Checkout | undefined;
  readonly wire: Wire;
  readonly service: Pick<
    HttpService,
    "create" | "updateMenu" | "bindNumber" | "deleteMenu" | "makeRecording" | "recordingBatch"
  >;
  /** How long apply waits for the recordings that it makes, in seconds. */
  readonly recordingTimeout: number;
  /** Reads what the service lists, or returns why that failed. Undefined if it cannot list menus. */
  readonly list?:
    | ((signal: AbortSignal, withNumbers: boolean) => Promise<Lists | string>)
    | undefined;
  /** Names what was changed on the console. Undefined if the agents were not listed. */
  readonly agents?: Agents | undefined;
  /**
   * Asks the user for the id of a menu that others wait for. Returns "" if it is not known yet, and undefined
   * if the user wants to stop. Absent if there is nobody to ask.
   */
  readonly askId?: ((subject: Subject) => Promise<string | undefined>) | undefined;
  /** The most creates in flight at the same time. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly pace: Pace;
  /** Seconds for one request. */
  readonly timeout: number;
  readonly watcher: Watcher;
  /** When aborted, nothing new is sent, and requests in flight may finish. */
  readonly halt: AbortSignal;
  /** When aborted, requests in flight are abandoned. */
  readonly stop: AbortSignal;
}
