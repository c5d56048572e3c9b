import { type Server, type Socket, connect, createServer } from "node:net";
import { quietPort } from "../../scripts/quiet-port.mjs";
import { digestOf } from "../../src/deploy/plan/digest.ts";
import type { Payload } from "../../src/schema/wire.ts";
import type { Ledger } from "./ledger.ts";

/** What a client can conclude from the answer. */
type Outcome = "created" | "failed" | "not-processed" | "unknown";

/** A create request that has reached the service. */
export interface Post {
  readonly name: string;
  readonly digest: string;
  readonly at: number;
  /** The intent that was in the journal when the first byte of the request came. */
  readonly intent: number | undefined;
  /** The status of the answer, once its head is complete. */
  status: number | null;
  outcome: Outcome;
}

interface Options {
  readonly ledger: () => Ledger;
  readonly found: (finding: string) => void;
}

/**
 * A proxy between the command and the sandbox, on one port for a whole round. It records
 * every create request, whether its intent was on disk by then, and the answer. It passes
 * resets and cuts on.
 */
export class Tap {
  readonly posts: Post[] = [];
  readonly #options: Options;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #to = 0;
  #port = 0;
  #opened: Promise<void> | undefined;
  /** Called for every create that arrives, and every answer that leaves. */
  moment: ((what: "post" | "answer") => void) | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#server = createServer((socket) => this.#connected(socket));
  }

  get port(): number {
    return this.#port;
  }

  /** Accepts connections: the first time on any free port, later on the same port. */
  open(): Promise<void> {
    return (this.#opened ??= this.#listen());
  }

  /** Refuses new connections for some milliseconds. Open connections stay. */
  shut(milliseconds: number): void {
    this.#server.close();
    this.#opened = new Promise((resolve) => setTimeout(resolve, milliseconds)).then(() =>
      this.#listen(),
    );
    // The next call of `open` gets the error.
    this.#opened.catch(() => {});
  }

  route(url: string): void {
    this.#to = Number(new URL(url).port);
  }

  async close(): Promise<void> {
    await this.#opened?.catch(() => {});
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  async #listen(): Promise<void> {
    if (this.#port === 0) this.#port = await quietPort();
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(this.#port, "127.0.0.1", () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
  }

  #connected(client: Socket): void {
    const service = connect(this.#to, "127.0.0.1");
    const exchange = new Exchange(this.#options, this.posts, (what) => this.moment?.(what));
    for (const socket of [client, service]) {
      this.#sockets.add(socket.setNoDelay(true).on("close", () => this.#sockets.delete(socket)));
    }
    client.on("data", (chunk: Buffer) => {
      exchange.asked(chunk);
      service.write(chunk);
    });
    service.on("data", (chunk: Buffer) => {
      client.write(chunk);
      exchange.answered(chunk);
    });
    client.on("end", () => service.end()).on("error", () => service.resetAndDestroy());
    service.on("end", () => client.end()).on("error", () => client.resetAndDestroy());
    client.on("close", () => service.destroy());
  }
}

/** The requests and answers of one connection, one after the other. */
class Exchange {
  readonly #options: Options;
  readonly #posts: Post[];
  readonly #moment: (what: "post" | "answer") => void;
  #request = Buffer.alloc(0);
  #answer = Buffer.alloc(0);
  #ledger: Ledger | undefined;
  #post: Post | undefined;

  constructor(options: Options, posts: Post[], moment: (what: "post" | "answer") => void) {
    this.#options = options;
    this.#posts = posts;
    this.#moment = moment;
  }

  asked(chunk: Buffer): void {
    if (this.#request.length === 0) {
      this.#ledger = this.#options.ledger();
      this.#answer = Buffer.alloc(0);
      this.#post = undefined;
    }
    this.#request = Buffer.concat([this.#request, chunk]);
    const whole = message(this.#request);
    if (whole === undefined) return;
    if (whole.start.startsWith("POST ")) {
      this.#post = this.#posted(JSON.parse(whole.body) as Payload);
      this.#moment("post");
    }
    this.#request = Buffer.alloc(0);
  }

  answered(chunk: Buffer): void {
    const post = this.#post;
    if (post === undefined) return;
    this.#answer = Buffer.concat([this.#answer, chunk]);
    const head = /^HTTP\/1\.1 ([2-5]\d\d) [^]*?\r\n\r\n/.exec(this.#answer.toString("latin1"));
    if (head === null) return;
    post.status = Number(head[1]);
    post.outcome = outcomeOf(post.status, message(this.#answer)?.body);
    this.#moment("answer");
  }

  #posted(payload: Payload): Post {
    const ledger = this.#ledger as Ledger;
    const digest = digestOf(payload);
    const taken = new Set(this.#posts.map(({ intent }) => intent));
    const alike = [...ledger.pending.values()].filter((intent) => intent.digest === digest);
    const own = alike.find(({ seq }) => !taken.has(seq));
    const { name } = payload;
    if (own === undefined) {
      const earlier = this.#posts.filter((post) => post.digest === digest).map(described);
      this.#options.found(
        alike.length === 0
          ? `(3) “${name}” was sent without an intent on disk; sent before: ${earlier.join("; ") || "never"}`
          : `(1) “${name}” was sent twice for one intent; sent before: ${earlier.join("; ")}`,
      );
    }
    const other = alike.find((intent) => intent !== own);
    if (own !== undefined && other !== undefined) {
      this.#options.found(
        `(1) “${name}” was sent for ${own.key} (event ${own.seq}) while the same payload is pending at ${other.key} (event ${other.seq})`,
      );
    }
    const post: Post = {
      name,
      digest,
      at: Date.now(),
      intent: own?.seq,
      status: null,
      outcome: "unknown",
    };
    this.#posts.push(post);
    return post;
  }
}

function described({ status, outcome, intent }: Post): string {
  return `${outcome} (${status ?? "no answer"}, intent ${intent})`;
}

/** The first line and the body of a message. Undefined if it is incomplete. */
function message(bytes: Buffer): { start: string; body: string } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = bytes.toString("latin1", 0, end);
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  if (bytes.length < end + 4 + length) return undefined;
  const body = bytes.toString("utf8", end + 4, end + 4 + length);
  return { start: head.slice(0, head.indexOf("\r\n")), body };
}

/** Classifies an answer, independently of the tool. `body` is undefined if the answer was cut off. */
function outcomeOf(status: number, body: string | undefined): Outcome {
  const success = body === undefined ? undefined : successIn(body);
  if (status === 408 || status === 499) return "unknown";
  if (status === 429) return body === undefined ? "unknown" : "not-processed";
  if (status >= 400 && status < 500) return "failed";
  if (status === 301 || status === 307 || status === 308) return "failed";
  if (status >= 200 && status < 300) {
    if (success === "true" || success === "absent") return "created";
    return success === "false" ? "failed" : "unknown";
  }
  return status >= 500 && success === "false" ? "failed" : "unknown";
}

function successIn(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return "Success" in value ? String(value.Success) : "absent";
  } catch {
    return undefined;
  }
}
