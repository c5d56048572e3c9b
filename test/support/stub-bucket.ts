import { type Server, createServer } from "node:http";
import { listen } from "./listen.ts";

export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The answer of a stub. `code` becomes the code of an XML error. */
export interface StubAnswer {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Starts an HTTP server that answers as an object store with fixed answers. */
export async function stubBucket(
  answer: (request: StubRequest) => StubAnswer,
  make: (listener: Parameters<typeof createServer>[1]) => Server = (listener) =>
    createServer(listener),
): Promise<{ readonly port: number; readonly endpoint: string; readonly asked: StubRequest[] }> {
  const asked: StubRequest[] = [];
  const server = make((incoming, response) => {
    incoming.resume().on("end", () => {
      const { method = "", url = "", headers } = incoming;
      const request = { method, path: url, headers };
      asked.push(request);
      const { status, code, message = "", headers: given = {}, body } = answer(request);
      const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
      response.writeHead(status, given).end(body ?? (code === undefined ? "" : xml));
    });
  });
  const port = await listen(server);
  return { port, endpoint: `http://127.0.0.1:${port}`, asked };
}

/** The answer to a list request without objects. */
export const nothing: StubAnswer = {
  status: 200,
  headers: { "content-type": "application/xml" },
  body: '<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>',
};
