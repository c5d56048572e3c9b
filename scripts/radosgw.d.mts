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
  /** Contains the data and the logs. */
  readonly folder: string;
  /** Creates a bucket and returns its name. */
  bucket(name: string): string;
  /** Creates another user, who owns no bucket. */
  user(name: string): RadosgwKeys;
  /** Returns a URL for `/bucket/key` that is signed by the owner. Any client can use it. */
  url(method: string, path: string, query?: Readonly<Record<string, string>>): string;
  /** Returns the contents of these paths (`/bucket/key`) in the same order; null if a path is empty. */
  get(paths: readonly string[]): (string | null)[];
  /** Returns the keys of a bucket after this one, sorted. */
  keys(bucket: string, prefix?: string, after?: string): string[];
  /** Kills the gateway as kill -9 does. Acknowledged objects are kept. */
  kill(): void;
  start(): void;
  /** Stops all servers and deletes their folder. */
  close(): void;
}

export function startRadosgw(options?: RadosgwOptions): Promise<Radosgw>;
