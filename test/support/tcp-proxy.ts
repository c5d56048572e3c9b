import { type Server, type Socket, connect, createServer } from "node:net";
import { quietPort } from "../../scripts/quiet-port.mjs";

/** What happens to some bytes: they are passed on, the connection is cut, or they are dropped. */
type Fate = "pass" | "cut" | "vanish";

/**
 * A TCP proxy between a client and a server. A test can cut it at any time and at any message.
 */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #to: number;
  /** The client ports that the server has seen, including those of closed connections. */
  readonly clientPorts = new Set<number>();
  /** Decide what happens to bytes for the server, and to bytes from the server. */
  asked: (bytes: Buffer) => Fate = () => "pass";
  answered: (bytes: Buffer) => Fate = () => "pass";

  constructor(to: number) {
    this.#to = to;
    this.#server = createServer((client) => this.#connected(client));
  }

  get port(): number {
    return this.#port;
  }

  /** Accepts connections, always on the same port. */
  async open(): Promise<void> {
    if (this.#server.listening) return;
    if (this.#port === 0) this.#port = await quietPort();
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(this.#port, "127.0.0.1", () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
  }

  /** Resets all connections. New ones are accepted. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Resets all connections, and refuses new ones until `open`. */
  async close(): Promise<void> {
    this.cut();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  #connected(client: Socket): void {
    const server = connect(this.#to, "127.0.0.1", () => {
      if (server.localPort !== undefined) this.clientPorts.add(server.localPort);
    });
    const both = () => {
      client.resetAndDestroy();
      server.resetAndDestroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket.setNoDelay(true));
      socket.on("error", both).on("close", () => {
        this.#sockets.delete(socket);
        both();
      });
    }
    const carry = (fate: Fate, bytes: Buffer, to: Socket) => {
      if (fate === "pass") to.write(bytes);
      if (fate === "cut") both();
    };
    client.on("data", (bytes: Buffer) => carry(this.asked(bytes), bytes, server));
    server.on("data", (bytes: Buffer) => carry(this.answered(bytes), bytes, client));
    client.on("end", () => server.end());
    server.on("end", () => client.end());
  }
}
