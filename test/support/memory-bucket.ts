import { createHash } from "node:crypto";
import { type IncomingMessage, createServer } from "node:http";
import type { StubRequest } from "./stub-bucket.ts";
import { listen } from "./listen.ts";

interface MemoryBucket {
  readonly endpoint: string;
  readonly asked: readonly StubRequest[];
  readonly objects: Map<string, Buffer>;
}

/**
 * Starts an object store in memory for the duration of a test. It supports what ivrctl uses: create
 * an object unless it exists, read one, list names. It does not check credentials. While it is not
 * conditional, it ignores If-None-Match and overwrites objects, as some stores do.
 */
export async function memoryBucket({
  isConditional = () => true,
  isBusy = () => false,
  objects: there = [],
}: {
  readonly isConditional?: () => boolean;
  /** Whether to refuse a request for the moment. */
  readonly isBusy?: (request: StubRequest) => boolean;
  /** What it has from the beginning. */
  readonly objects?: Iterable<readonly [key: string, bytes: Buffer]>;
} = {}): Promise<MemoryBucket> {
  const objects = new Map<string, Buffer>(there);
  const requests: StubRequest[] = [];
  const server = createServer((asked, answer) => {
    const { method = "", url: path = "", headers } = asked;
    requests.push({ method, path, headers });
    const { pathname, searchParams } = new URL(asked.url ?? "", "http://bucket");
    // The first part of the path is the name of the bucket.
    const key = decodeURIComponent(pathname.split("/").slice(2).join("/"));
    const refuse = (status: number, code: string) =>
      answer.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
    const put = async () => {
      const body = await bytesOf(asked);
      if (isConditional() && objects.has(key)) return refuse(412, "PreconditionFailed");
      objects.set(key, body);
      return answer.writeHead(200, { etag: `"${md5(body)}"` }).end();
    };
    if (isBusy({ method, path, headers })) return void refuse(503, "SlowDown");
    if (asked.method === "PUT") return void put();
    if (searchParams.has("list-type")) {
      const [prefix, after] = ["prefix", "start-after"].map((name) => searchParams.get(name) ?? "");
      const names = [...objects.keys()]
        .filter((name) => name.startsWith(prefix ?? "") && name > (after ?? ""))
        .sort();
      return void answer.writeHead(200, { "content-type": "application/xml" }).end(list(names));
    }
    const found = objects.get(key);
    if (found === undefined) return void refuse(404, "NoSuchKey");
    return void answer.writeHead(200, { "content-length": found.length }).end(found);
  });
  const port = await listen(server);
  return { endpoint: `http://127.0.0.1:${port}`, asked: requests, objects };
}

function list(names: readonly string[]): string {
  const contents = names.map((name) => `<Contents><Key>${name}</Key></Contents>`);
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>${contents.join("")}</ListBucketResult>`;
}

function md5(body: Buffer): string {
  return createHash("md5").update(body).digest("hex");
}

/** The SDK may send a body in chunks, each with its length, and a checksum at the end. */
async function bytesOf(asked: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of asked) parts.push(part as Buffer);
  const sent = Buffer.concat(parts);
  if (!String(asked.headers["content-encoding"]).includes("aws-chunked")) return sent;
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const end = sent.indexOf("\r\n", at);
    const length = Number.parseInt(sent.toString("latin1", at, end), 16);
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(sent.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}
