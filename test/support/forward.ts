import { type IncomingMessage, type ServerResponse, request } from "node:http";

/**
 * Passes a request on to a server. `answered` gets a function that passes the answer back. Each request has a
 * connection of its own, because an idle one may close at any moment.
 */
export function forward(
  asked: IncomingMessage,
  response: ServerResponse,
  url: string,
  answered = (handOn: () => void) => handOn(),
): void {
  const headers = { ...asked.headers, host: new URL(url).host };
  const about = { method: asked.method, headers, agent: false };
  const onward = request(`${url}${asked.url}`, about, (answer) =>
    answered(() => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: "close" });
      answer.pipe(response);
    }),
  );
  // The client may have been killed meanwhile.
  onward.on("error", () => response.destroy());
  asked.on("error", () => onward.destroy()).pipe(onward);
}
