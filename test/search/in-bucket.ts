import type { Radosgw } from "../../scripts/radosgw.mjs";
import { eventLines } from "../support/file-log.ts";
import { type Asked, type Fate, HttpProxy } from "../support/http-proxy.ts";
import { Remote } from "./store-under-test.ts";
import { Random } from "./random.ts";

const bucket = "faults";
let prefixes = 0;

/** A state in an object store, behind a TCP proxy and an HTTP proxy that can change answers. */
export class InBucket extends Remote {
  readonly settings: string;
  // The store rejects a signature if the clocks differ by 15 minutes.
  override readonly clock = 6e5;
  readonly #server: Radosgw;
  readonly #httpProxy: HttpProxy;
  readonly #prefix: string;
  /** A cache of the log objects, which never change. */
  readonly #log: string[] = [];

  private constructor(server: Radosgw, httpProxy: HttpProxy) {
    super(httpProxy.port);
    prefixes += 1;
    this.#server = server;
    this.#httpProxy = httpProxy;
    this.#prefix = `f${process.pid}/${prefixes}`;
    const place = `bucket: ${bucket}, prefix: ${this.#prefix}, region: us-east-1`;
    this.settings = `backend: s3, ${place}, endpoint: "\${S}"`;
  }

  /** Creates the bucket for all states. */
  static prepare(server: Radosgw): void {
    server.bucket(bucket);
  }

  static async at(server: Radosgw): Promise<InBucket> {
    const httpProxy = new HttpProxy(server.port);
    await httpProxy.open();
    return new InBucket(server, httpProxy);
  }

  get variables(): Readonly<Record<string, string>> {
    const { accessKey, secretKey } = this.#server;
    return {
      S: `http://127.0.0.1:${this.tcpProxy.port}`,
      AWS_ACCESS_KEY_ID: accessKey,
      AWS_SECRET_ACCESS_KEY: secretKey,
    };
  }

  get secrets(): readonly string[] {
    return [this.#server.secretKey];
  }

  override events(_root: string, id: string): string {
    for (;;) {
      const next = Array.from({ length: 4 }, (_, at) => this.#log.length + 1 + at);
      const found = this.#server.get(next.map((number) => this.#path(id, number)));
      const there = found.flatMap((text) => text ?? []);
      this.#log.push(...there);
      if (there.length < next.length) break;
    }
    return eventLines(this.#log);
  }

  override async calm(): Promise<void> {
    this.#httpProxy.fate = () => ({ kind: "pass" });
    await super.calm();
  }

  override kill(): void {
    this.#server.kill();
    this.#server.start();
  }

  override readonly falter = (random: Random): string => {
    const rate = random.pick([0.1, 0.3, 0.6]);
    const what = random.choose({ busy: 2, failing: 2, lost: 3, late: 3 });
    // The number of requests varies, so they need a separate generator that does not affect the
    // round.
    const perRequest = new Random(random.between(0, 1e9));
    this.#httpProxy.fate = (asked) =>
      perRequest.chance(rate) ? fateOf(what, asked, perRequest) : passed;
    return `${what}, ${rate} of the requests`;
  };

  override async close(): Promise<void> {
    await super.close();
    await this.#httpProxy.close();
  }

  #path(id: string, number: number): string {
    return `/${bucket}/${this.#prefix}/e/${id}/log/${String(number).padStart(12, "0")}`;
  }
}

const passed: Fate = { kind: "pass" };

function fateOf(
  what: "busy" | "failing" | "lost" | "late",
  { method }: Asked,
  random: Random,
): Fate {
  const done = method === "PUT" && random.chance(0.5) ? "first" : "never";
  switch (what) {
    case "busy":
      return { kind: "answer", reaches: "never", status: 503, code: "SlowDown" };
    case "failing":
      return { kind: "answer", reaches: done, status: 500, code: "InternalError" };
    case "lost":
      return { kind: "cut", reaches: done };
    case "late":
      // The request reaches the store late: after the client gave up, or before.
      return random.chance(0.5)
        ? { kind: "cut", reaches: random.between(1, 3000) }
        : { kind: "pass", after: random.between(1, 1500) };
  }
}
