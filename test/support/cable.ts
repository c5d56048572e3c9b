import { type Server, type Socket, connect, createServer } from "node:net";
import { quietPort } from "../../scripts/quiet-port.mjs";

/** What becomes of some bytes: on they go, the connection is cut before they do, or they vanish. */
type Fate = "pass" | "cut" | "vanish";

/**
 * Stands between a client and a server on a port of its own, and can be cut, at
 * any moment and at every single message.
 */
export class Cable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #to: number;
  /** By which the server knows its connections, those that are over too. */
  readonly clientPorts = new Set<number>();
  /** Asked about whatever goes to the server, and whatever comes from it. */
  asked: (bytes: Buffer) => Fate = () => "pass";
  answered: (bytes: Buffer) => Fate = () => "pass";

  constructor(to: number) {
    this.#to = to;
    this.#server = createServer((client) => this.#connected(client));
  }

  get port(): number {
    return this.#port;
  }

  /** Takes connections: the first time on any port, and then on the same. */
  async plugIn(): Promise<void> {
    if (this.#server.listening) return;
    if (this.#port === 0) this.#port = await quietPort();
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(this.#port, "127.0.0.1", () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
  }

  /** Every connection there is; new ones are taken. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** And no new one is taken, until it is mended. */
  async unplug(): Promise<void> {
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
