import { setTimeout as sleep } from "node:timers/promises";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { eventsIn } from "../support/file-log.ts";
import type { Random } from "./random.ts";

/** The store of a stage's state, and how the search reads it without ivrctl. */
export interface StoreUnderTest {
  /** Its settings in ivrctl.yaml: the inside of a mapping in braces. */
  readonly settings: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Texts that must not be in any output or file. */
  readonly secrets: readonly string[];
  /** Called with the project's folder before the first command. */
  prepare?(root: string): void;
  /** Every entry of the state with this id, one on each line. */
  events(root: string, id: string): string;
  /** Whether somebody has deleted the state, until `calm` restores it. */
  readonly isLost?: boolean;
  close(): Promise<void>;
}

export const inFiles: StoreUnderTest = {
  settings: "backend: file",
  variables: {},
  secrets: [],
  events: (root) => eventsIn(root, "e"),
  close: async () => {},
};

/** A store on a server, behind a proxy that can be cut. */
export abstract class Remote implements StoreUnderTest {
  abstract readonly settings: string;
  abstract readonly variables: Readonly<Record<string, string>>;
  abstract readonly secrets: readonly string[];
  /** Milliseconds that the clock of a run may be off. */
  readonly clock: number = 4e9;
  protected readonly tcpProxy: TcpProxy;
  #away: Promise<void> | undefined;

  constructor(port: number) {
    this.tcpProxy = new TcpProxy(port);
  }

  prepare?(root: string): void;

  /** Reads without the proxy. */
  abstract events(root: string, id: string): string;

  /** Kills the server as a power cut does, and starts it again at once. */
  abstract kill(): void;

  /** Makes the server fail some requests. Returns a description. */
  readonly falter: ((random: Random) => string) | undefined;

  /** Takes the newest blocks away, if a new machine can notice it. Returns whether it did. */
  setBack?(random: Random): boolean;

  /** Whether somebody has brought them back. */
  isRestored?(): boolean;

  async open(): Promise<void> {
    await this.tcpProxy.open();
  }

  /** Ends all disturbances. */
  async calm(): Promise<void> {
    this.tcpProxy.asked = () => "pass";
    this.tcpProxy.answered = () => "pass";
    await this.#away;
    await this.tcpProxy.open();
  }

  /** Cuts the connection at message number `at`, and then at every `every`th message. */
  cutAt(at: number, every: number): void {
    let left = at;
    const count = () => {
      left -= 1;
      if (left > 0) return "pass" as const;
      left = every;
      return "cut" as const;
    };
    this.tcpProxy.asked = count;
    this.tcpProxy.answered = count;
  }

  /** Calls `act` at message number `at`. */
  atMessage(at: number, act: () => void): void {
    let left = at;
    const count = () => {
      left -= 1;
      if (left === 0) act();
      return "pass" as const;
    };
    this.tcpProxy.asked = count;
    this.tcpProxy.answered = count;
  }

  /** Makes the server unreachable for some milliseconds. */
  async away(milliseconds: number): Promise<void> {
    this.#away = (async () => {
      await this.tcpProxy.close();
      await sleep(milliseconds);
      await this.tcpProxy.open();
    })();
    await this.#away;
  }

  async close(): Promise<void> {
    await this.#away;
    await this.tcpProxy.close();
  }
}
