import { type Server, type Socket, connect, createServer } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { quietPort } from "../../scripts/quiet-port.mjs";
import { payloadDigest } from "../support/payload-facts.ts";
import type { Payload } from "../../src/schema/wire.ts";
import type { Intent, Journal, Operation } from "./journal.ts";

/** What a client can conclude from the answer. */
type Outcome = "done" | "failed" | "not-processed" | "unknown";

/** A request that has reached the service and changes something. */
export interface Write {
  readonly operation: Operation;
  readonly name: string;
  /** The digest of the payload. For a phone number, where it is to lead. */
  readonly digest: string;
  /** The intent that was in the journal when the first byte of the request came. */
  readonly intent: number | undefined;
  /** Whether it is about the menu of a follow-up. */
  readonly isOld: boolean;
  /** The status of the answer, once its head is complete. */
  status: number | null;
  outcome: Outcome;
  /** Whether its process was killed before the outcome was recorded. */
  killed: boolean;
}

/** The records of a list, by id. */
type Listed = ReadonlyMap<string, object>;

/** The lists of menus and phone numbers. */
interface Lists {
  menus?: Listed;
  numbers?: Listed;
}

/** What happens between the command and the service. */
type Moment = (what: "write" | "answer", operation: Operation) => void;

interface Options {
  readonly journal: () => Journal;
  readonly found: (finding: string) => void;
  /** How a list shows a menu, right after its create. */
  readonly asCreated: (id: string) => object | undefined;
  /** Whether the command may do this. */
  readonly isAllowed: (permission: Permission) => boolean;
  /** Whether the menu of a key is still wanted. */
  readonly isWanted: (key: string) => boolean;
  /** The ids of the menus that the service has. */
  readonly existing: () => readonly string[];
  /** Whether the command deletes this follow-up. */
  readonly isNamed: (followUp: string) => boolean;
}

export type Permission = "--allow=delete" | "--allow=take-number" | "--allow=same-name";

/**
 * A proxy between the command and the sandbox, on one port for a whole round. It records
 * every request that writes, whether its intent was on disk by then, and the answer. A menu or a
 * phone number may be changed only if the last list showed what the plan was made from. It passes
 * resets and cuts on.
 */
export class RequestRecorder {
  readonly writes: Write[] = [];
  readonly #options: Options;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #to = 0;
  #port = 0;
  #opened: Promise<void> | undefined;
  /** Called for every request that writes, and every answer to one. */
  moment: Moment | undefined;
  /** Called for every list. */
  listed: (() => void) | undefined;
  /**
   * Menus, by id, that a list did not show although they existed. The list showed all other menus on
   * record, so nobody could see that it was cut off or lagged behind.
   */
  readonly hidden = new Set<string>();
  /** The lists that the plan was made from. */
  #planned: Lists = {};
  #last: Lists = {};
  #comparing = true;

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

  /** Forgets the lists of the last command. A saved plan keeps the first one. Two runs are not compared. */
  begin({ keep, compare }: { readonly keep: boolean; readonly compare: boolean }): void {
    this.#comparing = compare;
    this.#last = {};
    if (!keep) this.#planned = {};
  }

  route(url: string): void {
    this.#to = Number(new URL(url).port);
  }

  /** Waits until the service has handled the requests of a killed process. */
  async settle(): Promise<void> {
    const open = [...this.#sockets].filter((socket) => !socket.closed);
    await Promise.all(
      open.map((socket) => new Promise((resolve) => socket.once("close", resolve))),
    );
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
    const exchange = new Exchange({
      journal: this.#options.journal,
      wrote: (start, body, journal) => this.#wrote(start, body, journal),
      listed: (what, body) => this.#listed(what, body),
      moment: (what, operation) => this.moment?.(what, operation),
    });
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
    // The service still handles what it got from a killed process. Then it closes the connection.
    client.on("end", () => service.end()).on("error", () => service.end());
    service.on("end", () => client.end()).on("error", () => client.resetAndDestroy());
  }

  #listed(what: keyof Lists, body: string): void {
    const value = JSON.parse(body) as { ivrs: { id: unknown }[] } & { id: unknown }[];
    const records = what === "menus" ? value.ivrs : value;
    const listed = new Map(records.map((record) => [String(record.id), normal(record)]));
    this.#last[what] = listed;
    this.#planned[what] ??= listed;
    if (what === "menus") this.#addHidden(listed);
    this.listed?.();
  }

  #addHidden(listed: Listed): void {
    const { current, pending } = this.#options.journal();
    const lacking = [...current].flatMap(([key, { id }]) =>
      id === undefined || listed.has(id) || pending.get(key)?.operation === "delete" ? [] : id,
    );
    for (const id of this.#options.existing()) {
      if (!listed.has(id) && lacking.every((one) => one === id)) this.hidden.add(id);
    }
  }

  /** Finds the intent of a request that writes, and checks that the request may be sent. */
  #wrote(start: string, body: string, journal: Journal): Write {
    const [, method, kind, id] = /^(\w+) \/v1\/(ivr|my_number)(?:\/(\S+))? /.exec(start) ?? [];
    const operation =
      method === "POST"
        ? "create"
        : method === "DELETE"
          ? "delete"
          : kind === "ivr"
            ? "update"
            : "bind";
    const sent =
      operation === "delete" ? undefined : (JSON.parse(body) as Payload & { destination: string });
    const digest = operation === "bind" ? (sent?.destination ?? "") : sent && payloadDigest(sent);
    const { found } = this.#options;
    const taken = new Set(this.writes.map(({ intent }) => intent));
    const alike = [...journal.pending.values(), ...journal.others.values()].filter(
      (intent) =>
        intent.operation === operation &&
        intent.id === id &&
        (digest ?? intent.digest) === intent.digest,
    );
    const matching = alike.find(({ seq }) => !taken.has(seq));
    const name = sent?.name ?? matching?.key ?? "";
    const what = `${operation} “${name}”${id === undefined ? "" : ` (${id})`}`;
    if (matching === undefined) {
      const earlier = this.writes.filter((one) => one.digest === digest).map(described);
      found(
        alike.length === 0
          ? `(3) ${what} was sent without an intent on disk; sent before: ${earlier.join("; ") || "never"}`
          : `(1) ${what} was sent twice for one intent; sent before: ${earlier.join("; ")}`,
      );
    }
    const other = alike.find((intent) => intent !== matching);
    if (matching !== undefined && other !== undefined) {
      found(
        `(1) ${what} was sent for ${matching.key} (event ${matching.seq}) while the same payload is pending at ${other.key} (event ${other.seq})`,
      );
    }
    if (matching !== undefined && this.#comparing) {
      const wrong =
        operation === "bind"
          ? this.#wrongBind(matching, journal)
          : operation === "create"
            ? this.#wrongCreate(name, journal)
            : this.#wrongChange(matching, journal);
      if (wrong !== undefined) found(`(9) ${what} was sent, but ${wrong}`);
    }
    const write: Write = {
      operation,
      name,
      digest: digest ?? matching?.digest ?? "",
      intent: matching?.seq,
      isOld:
        matching !== undefined &&
        operation === "delete" &&
        journal.pending.get(matching.key) !== matching,
      status: null,
      outcome: "unknown",
      killed: false,
    };
    this.writes.push(write);
    return write;
  }

  /** Why a menu must not be created. */
  #wrongCreate(name: string, { accounted }: Journal): string | undefined {
    const recorded = new Set(accounted.map(({ id }) => id));
    const [same] =
      [...(this.#last.menus ?? [])].find(
        ([id, menu]) => !recorded.has(id) && "name" in menu && menu.name === name,
      ) ?? [];
    if (same === undefined || this.#options.isAllowed("--allow=same-name")) return undefined;
    return `the last list shows menu ${same} with this name, which has no record`;
  }

  /** Why an update or a delete must not be sent. */
  #wrongChange({ operation, of, id, key, run }: Intent, journal: Journal): string | undefined {
    if (of === undefined || id === undefined) return undefined;
    const isNew = journal.intent(of.intent)?.run === run;
    const now = this.#last.menus?.get(id);
    // An interrupted apply of the same plan may have created it.
    const planned = isNew ? undefined : this.#planned.menus?.get(id);
    const then = planned ?? normal(this.#options.asCreated(id) ?? {});
    if (now === undefined || !isDeepStrictEqual(then, now))
      return "the last list shows another menu than the plan was made from";
    if (operation === "update") return undefined;
    if (!this.#options.isAllowed("--allow=delete")) return "deletes are not allowed";
    if (journal.current.get(key) === of && this.#options.isWanted(key)) return "its file is there";
    const to = `ivr||${id}`;
    const numbers = [...(this.#last.numbers ?? [])].filter(([, record]) => leadsTo(record, to));
    if (numbers.length > 0) return `the phone number ${numbers[0]?.[0]} points to it`;
    const also = this.#deletedWith(journal);
    const leader = [...(this.#last.menus ?? [])].find(
      ([other, menu]) => other !== id && !also.has(other) && leadsTo(menu, id),
    );
    return leader === undefined ? undefined : `menu ${leader[0]} links to it`;
  }

  /** The ids of the menus that the command may delete. Menus that it deletes together may link to each other. */
  #deletedWith({ current, followUps, deleted }: Journal): ReadonlySet<string | undefined> {
    const { isNamed, isWanted } = this.#options;
    const old = [...followUps].flatMap(([name, { menu }]) => (isNamed(name) ? menu.id : []));
    const unwanted = [...current].flatMap(([key, { id }]) => (isWanted(key) ? [] : id));
    return new Set([...deleted.map(({ id }) => id), ...old, ...unwanted]);
  }

  /** Why a phone number must not be bound. */
  #wrongBind(intent: Intent, journal: Journal): string | undefined {
    const { id = "", of } = intent;
    const now = this.#last.numbers?.get(id);
    if (now === undefined || !isDeepStrictEqual(this.#planned.numbers?.get(id), now))
      return "the last list shows that it points elsewhere than when the plan was made";
    if (!this.#last.menus?.has(of?.id ?? "")) return "the last list does not show the menu";
    const menus = [...(this.#planned.menus?.keys() ?? []), ...(this.#last.menus?.keys() ?? [])];
    // A menu that was deleted on the console takes its numbers along.
    const wasOurs =
      JSON.stringify(now).includes('"ivr||') &&
      !menus.some((menu) => leadsTo(now, `ivr||${menu}`)) &&
      journal.had(intent, (destination) => leadsTo(now, destination));
    const isManaged =
      wasOurs ||
      leadsTo(now, null) ||
      journal.known.some((menu) => menu.id !== undefined && leadsTo(now, `ivr||${menu.id}`));
    return isManaged || this.#options.isAllowed("--allow=take-number")
      ? undefined
      : "it was taken from something that ivrctl does not manage";
  }
}

interface Watcher {
  readonly journal: () => Journal;
  readonly wrote: (start: string, body: string, journal: Journal) => Write;
  readonly listed: (what: keyof Lists, body: string) => void;
  readonly moment: Moment;
}

/** The requests and answers of one connection, one after the other. */
class Exchange {
  readonly #watcher: Watcher;
  #request = Buffer.alloc(0);
  #answer = Buffer.alloc(0);
  #journal: Journal | undefined;
  #write: Write | undefined;
  #lists: keyof Lists | undefined;

  constructor(watcher: Watcher) {
    this.#watcher = watcher;
  }

  asked(chunk: Buffer): void {
    if (this.#request.length === 0) {
      this.#journal =
        chunk.toString("latin1", 0, 4) === "GET " ? undefined : this.#watcher.journal();
      this.#answer = Buffer.alloc(0);
      this.#write = undefined;
    }
    this.#request = Buffer.concat([this.#request, chunk]);
    const whole = message(this.#request);
    if (whole === undefined) return;
    const [, list = ""] = /^GET \/v1\/(ivrs|my_number) /.exec(whole.start) ?? [];
    this.#lists = list === "" ? undefined : list === "ivrs" ? "menus" : "numbers";
    if (this.#journal !== undefined) {
      this.#write = this.#watcher.wrote(whole.start, whole.body, this.#journal);
      this.#watcher.moment("write", this.#write.operation);
    }
    this.#request = Buffer.alloc(0);
  }

  answered(chunk: Buffer): void {
    const write = this.#write;
    const lists = this.#lists;
    if (write === undefined && lists === undefined) return;
    this.#answer = Buffer.concat([this.#answer, chunk]);
    const head = /^HTTP\/1\.1 ([2-5]\d\d) [^]*?\r\n\r\n/.exec(this.#answer.toString("latin1"));
    if (head === null) return;
    const status = Number(head[1]);
    const body = message(this.#answer)?.body;
    if (write !== undefined) {
      write.status = status;
      write.outcome = outcomeOf(status, body);
      this.#watcher.moment("answer", write.operation);
    } else if (lists !== undefined && status === 200 && body !== undefined) {
      this.#lists = undefined;
      this.#watcher.listed(lists, body);
    }
  }
}

/** The options of a listed menu are in no particular order. */
function normal(record: object): object {
  if (!("ivr_menu" in record) || !Array.isArray(record.ivr_menu)) return record;
  return { ...record, ivr_menu: record.ivr_menu.map((entry) => JSON.stringify(entry)).sort() };
}

/** Whether a listed phone number or menu points to a destination. */
function leadsTo(record: object, destination: string | null): boolean {
  if ("destination" in record) return record.destination === destination;
  return JSON.stringify(record).includes(`"ivr\\",\\"destination_id\\":\\"${destination}\\"`);
}

function described({ status, outcome, intent }: Write): string {
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
    if (success === "true" || success === "absent") return "done";
    return success === "false" ? "failed" : "unknown";
  }
  return status >= 500 && success === "false" ? "failed" : "unknown";
}

function successIn(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const flag = "Success" in value ? value.Success : "success" in value ? value.success : "absent";
    return String(flag);
  } catch {
    return undefined;
  }
}
