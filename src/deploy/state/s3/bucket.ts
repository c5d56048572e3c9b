import { createHash } from "node:crypto";
import type { S3Client } from "@aws-sdk/client-s3";
import { secrets } from "../../../secrets.ts";
import { type Driver, loadDriver } from "./driver.ts";
import { brief, persist } from "../persist.ts";
import {
  type Action,
  credentialsProblem,
  noRegion,
  notList,
  problemOf,
  refusalOf,
} from "./problems.ts";
import type { BucketSettings } from "./settings.ts";
import { Transport } from "./transport.ts";

/** The few things that are asked of an object store. What changes it is asked once. */
export class Bucket {
  /** As people are told it. */
  readonly address: string;
  readonly #driver: Driver;
  readonly #settings: BucketSettings;
  readonly #transport = new Transport();
  readonly #client: S3Client;

  /** `root` is the project, where the driver may be installed. */
  constructor(root: string, settings: BucketSettings) {
    const { region, endpoint, pathStyle } = settings;
    this.address = settings.address;
    this.#settings = settings;
    this.#driver = loadDriver(root);
    this.#client = new this.#driver.S3Client({
      ...(region === undefined ? {} : { region }),
      ...(endpoint === undefined ? {} : { endpoint }),
      forcePathStyle: pathStyle,
      // Whoever asks knows whether it may be asked again.
      maxAttempts: 1,
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      requestHandler: this.#transport,
    });
  }

  /**
   * Makes an object, but only where there is none of that name; `taken` where there
   * is one. All that is right rests on this.
   */
  async create(key: string, body: Uint8Array): Promise<"created" | "taken"> {
    const { bucket: Bucket, encryption } = this.#settings;
    const command = new this.#driver.PutObjectCommand({
      Bucket,
      Key: this.#settings.prefix + key,
      Body: body,
      IfNoneMatch: "*",
      // A bucket whose objects are locked against deletion asks for it.
      ContentMD5: createHash("md5").update(body).digest("base64"),
      ...(encryption === undefined ? {} : { ServerSideEncryption: encryption.with }),
      ...(encryption?.key === undefined ? {} : { SSEKMSKeyId: encryption.key }),
    });
    try {
      await this.#ask(() => this.#client.send(command));
      return "created";
    } catch (error) {
      if (refusalOf(error)?.status === 412) return "taken";
      throw problemOf(error, this.address, "s3:PutObject");
    }
  }

  /** Undefined where there is no such object. */
  async get(key: string): Promise<Buffer | undefined> {
    const { bucket: Bucket, prefix } = this.#settings;
    const command = new this.#driver.GetObjectCommand({ Bucket, Key: prefix + key });
    return this.#read("s3:GetObject", async () => {
      try {
        const { Body } = await this.#client.send(command);
        return Buffer.from((await Body?.transformToByteArray()) ?? []);
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal?.status === 404 && refusal.code !== "NoSuchBucket") return undefined;
        throw error;
      }
    });
  }

  /** The names in a folder that sort behind this one, in order. */
  async list(folder: string, after: string): Promise<string[]> {
    const names: string[] = [];
    for (let last = after; ; last = names.at(-1) ?? last) {
      const page = await this.#page(folder, { StartAfter: last });
      names.push(...page.names);
      if (!page.isTruncated || page.names.length === 0) return names;
    }
  }

  /** The first names in a folder, at most so many. */
  async first(folder: string, most: number): Promise<readonly string[]> {
    return (await this.#page(folder, { MaxKeys: most })).names;
  }

  async #page(
    folder: string,
    { StartAfter = "", ...options }: { readonly StartAfter?: string; readonly MaxKeys?: number },
  ): Promise<{ readonly names: readonly string[]; readonly isTruncated: boolean }> {
    const { bucket: Bucket, prefix } = this.#settings;
    const Prefix = prefix + folder;
    const command = new this.#driver.ListObjectsV2Command({
      Bucket,
      Prefix,
      StartAfter: Prefix + StartAfter,
      ...options,
    });
    const answer = await this.#read("s3:ListBucket", () => this.#client.send(command));
    // An empty page of some web server would be an empty state.
    if (answer.IsTruncated === undefined) throw notList(this.address);
    const names = (answer.Contents ?? []).flatMap(({ Key }) => Key?.slice(Prefix.length) ?? []);
    return { names, isTruncated: answer.IsTruncated };
  }

  /** Nothing that is under way is cut. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** Asked again for a moment, each request by itself: of many, one or the other fails. */
  #read<T>(action: Action, send: () => Promise<T>): Promise<T> {
    return persist(async () => {
      try {
        return await this.#ask(send);
      } catch (error) {
        throw problemOf(error, this.address, action);
      }
    }, brief);
  }

  /** Who asks, and where, is settled first: what is wrong about that has words of its own. */
  async #ask<T>(send: () => Promise<T>): Promise<T> {
    const { config } = this.#client;
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
