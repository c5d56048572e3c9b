import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { Clock } from "../../../util/host.ts";
import { readWithoutWaiting } from "../../../util/disk.ts";
import { parseJson } from "../../../util/parse-json.ts";
import { replaceFile } from "../../../util/replace-file.ts";

/** A block that a machine has seen, so every later log must have it. */
export interface Seen {
  readonly number: number;
  readonly sum: string;
}

/** What this machine remembers of the end of a log, by the place of the log. */
export interface Witness {
  /** The file to delete if a person is sure that the log is right. */
  readonly file: string;
  get(place: string): Seen | undefined;
  /** The places of logs that this machine has seen with this id. */
  placesOf(id: string): readonly string[];
  /** Remembers this block, unless a later one is known. */
  raise(place: string, seen: Seen): void;
  /** Makes sure that later processes know it too. */
  flush(): void;
}

const Remembered = z.record(z.string(), z.object({ number: z.int(), sum: z.string() }));

/** Milliseconds between two writes: most blocks of a run are not the last one. */
const pause = 1000;

/** Remembers the ends of logs in `.ivrctl/seen/ENVIRONMENT.json`, which git ignores. */
export class FileWitness implements Witness {
  readonly file: string;
  readonly #folder: string;
  readonly #path: string;
  readonly #clock: Clock;
  /** What is not written yet. */
  readonly #raised = new Map<string, Seen>();
  #written = -Infinity;

  constructor(root: string, environment: string, clock: Clock) {
    this.file = `.ivrctl/seen/${encodeURIComponent(environment)}.json`;
    this.#folder = join(root, ".ivrctl/seen");
    this.#path = join(root, this.file);
    this.#clock = clock;
  }

  get(place: string): Seen | undefined {
    return later(this.#raised.get(place), this.#read()[place]);
  }

  placesOf(id: string): readonly string[] {
    const end = ` ${id}`;
    return Object.keys(this.#read()).flatMap((place) =>
      place.endsWith(end) ? place.slice(0, -end.length) : [],
    );
  }

  raise(place: string, { number, sum }: Seen): void {
    const seen = { number, sum };
    if (later(this.#raised.get(place), seen) !== seen) return;
    this.#raised.set(place, seen);
    if (this.#clock.elapsed() - this.#written >= pause) this.flush();
  }

  flush(): void {
    const stored = this.#read();
    const risen = [...this.#raised].filter(([place, seen]) => later(stored[place], seen) === seen);
    this.#raised.clear();
    this.#written = this.#clock.elapsed();
    if (risen.length === 0) return;
    const text = JSON.stringify({ ...stored, ...Object.fromEntries(risen) }, undefined, 2);
    try {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(join(this.#folder, ".gitignore"), "*\n");
      replaceFile(this.#path, `${text}\n`);
    } catch {
      // The log has everything. This machine only notices less if its end is lost.
    }
  }

  #read(): Readonly<Record<string, Seen>> {
    try {
      return Remembered.parse(parseJson(readWithoutWaiting(this.#path)));
    } catch {
      return {};
    }
  }
}

function later(one: Seen | undefined, other: Seen | undefined): Seen | undefined {
  return one !== undefined && one.number >= (other?.number ?? 0) ? one : other;
}
