export interface RadosgwOptions {
  /** Lines of ceph.conf. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

export interface RadosgwKeys {
  readonly accessKey: string;
  readonly secretKey: string;
}

export interface Radosgw extends RadosgwKeys {
  readonly port: number;
  readonly endpoint: string;
  /** With its data and its logs. */
  readonly folder: string;
  /** Makes a bucket of this name, and gives the name back. */
  bucket(name: string): string;
  /** Another one who may ask, and to whom no bucket belongs. */
  user(name: string): RadosgwKeys;
  /** For any client: an address of `/bucket/key` that is signed by the owner. */
  url(method: string, path: string, query?: Readonly<Record<string, string>>): string;
  /** What is at these paths (`/bucket/key`), in their order; null where there is nothing. */
  get(paths: readonly string[]): (string | null)[];
  /** The keys of a bucket after this one, in order. */
  keys(bucket: string, prefix?: string, after?: string): string[];
  /** At once and without a word, as by kill -9. What it has acknowledged is kept. */
  kill(): void;
  start(): void;
  /** Ends all of it, and nothing is left. */
  close(): void;
}

export function startRadosgw(options?: RadosgwOptions): Promise<Radosgw>;
