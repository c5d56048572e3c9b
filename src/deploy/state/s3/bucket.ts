import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type * as S3 from "@aws-sdk/client-s3";
import { isLoopback } from "../../../util/address.ts";
import { secrets } from "../../../util/secrets.ts";
import { Connections } from "../../service/exchange.ts";
import { loadDriver } from "../load-driver.ts";
import { briefWait, retry } from "../retry.ts";
import {
  type S3Permission,
  NoAnswer,
  credentialsProblem,
  noRegion,
  notList,
  bucketProblem,
  readRefusal,
} from "./bucket-problems.ts";
import type { BucketSettings } from "./bucket-settings.ts";
import type { Clock, Host } from "../../../util/host.ts";

/**
 * The requests that ivrctl sends to an object store. Reads are repeated for some seconds if
 * the store fails. `create` is sent once, and the caller decides whether to repeat it.
 */
export class Bucket {
  /** The bucket's address, as messages show it. */
  readonly address: string;
  readonly #root: string;
  readonly #settings: BucketSettings;
  readonly #host: Host;
  readonly #transport: Transport;
  #opened: { readonly driver: typeof S3; readonly client: S3.S3Client } | undefined;

  /** `root` is the project's folder, where the driver may be installed. It is loaded on first use. */
  constructor(root: string, settings: BucketSettings, host: Host) {
    this.address = settings.address;
    this.#root = root;
    this.#settings = settings;
    this.#host = host;
    this.#transport = new Transport(host.clock);
  }

  /** What the package warns about. */
  get advice(): string | undefined {
    const { nodeVersion } = this.#host.machine;
    if (Number.parseInt(nodeVersion, 10) >= 22) return undefined;
    return `From January 2027 on, new versions of @aws-sdk/client-s3 need Node 22, and this is Node ${nodeVersion}.`;
  }

  /**
   * Creates an object, or returns `taken` if one with that key exists. Everything that the
   * store guarantees depends on this.
   */
  async create(key: string, body: Uint8Array): Promise<"created" | "taken"> {
    const { bucket: Bucket, encryption, key: kmsKey } = this.#settings;
    const { driver, client } = this.#sdk;
    const command = new driver.PutObjectCommand({
      Bucket,
      Key: this.#settings.prefix + key,
      Body: body,
      IfNoneMatch: "*",
      // Buckets with Object Lock require it.
      ContentMD5: createHash("md5").update(body).digest("base64"),
      ...(encryption === undefined ? {} : { ServerSideEncryption: encryption }),
      ...(kmsKey === undefined ? {} : { SSEKMSKeyId: kmsKey }),
    });
    try {
      await this.#ask(() => client.send(command));
      return "created";
    } catch (error) {
      if (readRefusal(error)?.status === 412) return "taken";
      throw bucketProblem(error, this.address, "s3:PutObject");
    }
  }

  /** Returns undefined if there is no such object. */
  async get(key: string): Promise<Buffer | undefined> {
    const { bucket: Bucket, prefix } = this.#settings;
    const { driver, client } = this.#sdk;
    const command = new driver.GetObjectCommand({ Bucket, Key: prefix + key });
    return this.#read("s3:GetObject", async () => {
      try {
        const { Body } = await client.send(command);
        return Buffer.from((await Body?.transformToByteArray()) ?? []);
      } catch (error) {
        const refusal = readRefusal(error);
        if (refusal?.status === 404 && refusal.code !== "NoSuchBucket") return undefined;
        throw error;
      }
    });
  }

  /** Returns the names in a folder that sort after this one, in order: all of them, or the first ones. */
  async list(folder: string, after = "", MaxKeys?: number): Promise<readonly string[]> {
    const Prefix = this.#settings.prefix + folder;
    const { driver, client } = this.#sdk;
    const names: string[] = [];
    for (;;) {
      const command = new driver.ListObjectsV2Command({
        Bucket: this.#settings.bucket,
        Prefix,
        StartAfter: Prefix + (names.at(-1) ?? after),
        ...(MaxKeys === undefined ? {} : { MaxKeys }),
      });
      const answer = await this.#read("s3:ListBucket", () => client.send(command));
      // The answer of some other web server must not look like an empty state.
      if (answer.IsTruncated === undefined) throw notList(this.address);
      const page = (answer.Contents ?? []).flatMap(({ Key }) => Key?.slice(Prefix.length) ?? []);
      names.push(...page);
      if (!answer.IsTruncated || page.length === 0 || MaxKeys !== undefined) return names;
    }
  }

  get #sdk() {
    return (this.#opened ??= this.#open());
  }

  #open() {
    const { region, endpoint, pathStyle } = this.#settings;
    // Hide the package's warning about old versions of Node. See `advice`.
    this.#host.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
    const driver = loadDriver("@aws-sdk/client-s3", this.#root, "A state in an object store");
    const client = new driver.S3Client({
      ...(region === undefined ? {} : { region }),
      ...(endpoint === undefined ? {} : { endpoint }),
      forcePathStyle: pathStyle,
      // The caller knows whether a request can be repeated.
      maxAttempts: 1,
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      requestHandler: this.#transport,
    });
    return { driver, client };
  }

  /** Closes idle connections. Requests in flight continue. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** Repeats a single request, because one of many parallel requests often fails. */
  #read<T>(action: S3Permission, send: () => Promise<T>): Promise<T> {
    return retry(async () => {
      try {
        return await this.#ask(send);
      } catch (error) {
        throw bucketProblem(error, this.address, action);
      }
    }, briefWait(this.#host.clock));
  }

  /**
   * Finds region and credentials before it sends, because problems with them need other messages.
   */
  async #ask<T>(send: () => Promise<T>): Promise<T> {
    const { config } = this.#sdk.client;
    await config.region().catch(() => {
      throw noRegion;
    });
    const credentials = await config.credentials().catch((error: unknown) => {
      throw credentialsProblem(error, this.address);
    });
    secrets.add(credentials.secretAccessKey);
    secrets.add(credentials.sessionToken);
    return send();
  }
}

interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Record<string, string>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Sends the SDK's requests in the same way as requests to the service: through the proxy in
 * the environment variables, with TLS except on loopback, once each and within a time limit.
 * The SDK's own handler knows no proxy, and an agent for Node 20 that does is a dependency of
 * its own.
 */
class Transport {
  readonly #connections = new Map<string, Connections>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async handle(request: SdkRequest) {
    const { method, protocol, hostname, port, path, query, body } = request;
    if (protocol !== "https:" && !isLoopback(hostname)) {
      const detail = `http would send data to ${hostname} unencrypted, so ivrctl requires https`;
      throw new NoAnswer({ phase: "insecure", detail });
    }
    const origin = `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}`;
    const connections =
      this.#connections.get(origin) ?? new Connections(origin, timeLimit, this.#clock);
    this.#connections.set(origin, connections);
    // The header Expect is not signed, and no body is large enough to need it.
    const { expect: _, Expect: __, ...headers } = request.headers;
    const search = new URLSearchParams(query).toString();
    const received = await connections.receive({
      method,
      path: search === "" ? path : `${path}?${search}`,
      headers,
      ...(typeof body === "string" || body instanceof Uint8Array ? { body } : {}),
      maxAnswer,
    });
    if (received.phase !== "answered") throw new NoAnswer(received);
    const { status: statusCode, bytes = Buffer.alloc(0) } = received;
    const given = Object.entries(received.headers).map(([name, value]) => [name, String(value)]);
    return {
      response: {
        statusCode,
        headers: Object.fromEntries(given),
        body: Readable.from([bytes]),
      },
    };
  }

  /** Closes idle connections. Connections in use stay open. */
  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((one) => one.close()));
  }
}

/** The time limit of one request, in seconds. */
const timeLimit = 15;

const maxAnswer = 256 * 1024 * 1024;
