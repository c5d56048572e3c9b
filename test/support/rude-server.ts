import { type Socket, createServer } from "node:net";
import { listen } from "./listen.ts";

export interface RudeServer {
  readonly url: string;
  /** The complete requests, in the order of arrival. */
  readonly requests: readonly string[];
  /** The number of accepted connections. */
  readonly connections: number;
}

/** How to treat a connection: `arrived` runs at once, `asked` after a complete request. */
interface Manners {
  readonly arrived?: (socket: Socket) => void;
  readonly asked?: (socket: Socket, request: string, count: number) => void;
}

/** Starts a TCP server on 127.0.0.1 whose behavior the test controls byte by byte. */
export async function rudeServer(manners: Manners): Promise<RudeServer> {
  const requests: string[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    manners.arrived?.(socket);
    let buffered = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      buffered += chunk;
      for (let end = endOfRequest(buffered); end !== -1; end = endOfRequest(buffered)) {
        const request = buffered.slice(0, end);
        buffered = buffered.slice(end);
        requests.push(request);
        manners.asked?.(socket, request, requests.length);
      }
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections;
    },
  };
}

/** Returns a complete HTTP answer. */
export function answer(status: number, body: string, headers: Record<string, string> = {}): string {
  const all = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Status\r\n${lines.join("")}\r\n${body}`;
}

function endOfRequest(text: string): number {
  const head = text.indexOf("\r\n\r\n");
  if (head === -1) return -1;
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
  const end = head + 4 + length;
  return text.length >= end ? end : -1;
}
