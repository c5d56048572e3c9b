import type { Socket } from "node:net";
import { type Client, buildConnector } from "undici";

type Connect = NonNullable<Client.Options["connect"]>;

/**
 * A connector whose sockets drop interim answers. A server may send any number of them
 * before its answer (RFC 9110, 15.2). undici closes the connection when it gets a
 * `100 Continue` that it did not ask for.
 */
export function withoutInterim(connect: Connect): buildConnector.connector {
  const connector = typeof connect === "function" ? connect : buildConnector(connect);
  return (options, callback) =>
    connector(options, (...[error, socket]) => {
      if (error === null) callback(null, filtered(socket));
      else callback(error, null);
    });
}

/** A socket without interim answers. It has one exchange at a time, which begins with a write. */
function filtered<S extends Socket>(socket: S): S {
  let filter: InterimFilter | undefined;
  const write: Socket["write"] = Reflect.get(socket, "write");
  socket.write = new Proxy(write, {
    apply: (_, __, args) => {
      filter = new InterimFilter();
      return Reflect.apply(write, socket, args);
    },
  });
  // undici calls `read` until it returns null.
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    for (;;) {
      const chunk: unknown = read(size);
      if (filter === undefined || !Buffer.isBuffer(chunk)) return chunk;
      const rest = filter.take(chunk);
      if (rest === undefined) continue;
      filter = undefined;
      return rest;
    }
  };
  return socket;
}

/** Matches the start of an interim answer. `101 Switching Protocols` is a final answer. */
const interim = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r\n]/;
const sample = "HTTP/1.1 100 ";
const headEnd = /\r?\n\r?\n/;
const maxHead = 16 * 1024;

/** Drops the interim answers at the beginning of a stream that comes in pieces. */
class InterimFilter {
  #held = "";

  /** Returns the bytes after the interim answers; undefined until there are any. */
  take(chunk: Buffer): Buffer | undefined {
    let text = this.#held + chunk.toString("latin1");
    for (;;) {
      // A text that is too short may still become an interim answer, so complete it with a sample.
      if (!interim.test(text + sample.slice(text.length))) return Buffer.from(text, "latin1");
      const end = headEnd.exec(text);
      if (end === null) {
        if (text.length > maxHead) return Buffer.from(text, "latin1");
        break;
      }
      text = text.slice(end.index + end[0].length);
    }
    this.#held = text;
    return undefined;
  }
}
