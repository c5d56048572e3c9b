import { type RecordingRef, nameIn } from "../../schema/ref.ts";
import { madeRecording } from "../state/view.ts";
import type { ApplyOptions } from "./apply-options.ts";
import type { Recorder } from "./recorder.ts";

/** Seconds until the service is asked again for the first time, and at most. */
const [firstWait, longestWait] = [1, 15];

interface WaitOptions extends Pick<
  ApplyOptions,
  "clock" | "recordingTimeout" | "session" | "watcher"
> {
  readonly service: Pick<ApplyOptions["service"], "recordingBatch">;
}

/** Asks the service for the ids of recordings that it makes, and records them. */
export class RecordingWait {
  /** What the service said last about a recording that is not ready. */
  readonly said = new Map<RecordingRef, string>();
  readonly #options: WaitOptions;
  readonly #recorder: Recorder;
  /** Those that waiting does not help. */
  readonly #refused = new Set<RecordingRef>();
  #end: number | undefined;

  readonly #ready: (ref: RecordingRef) => void;

  constructor(options: WaitOptions, recorder: Recorder, ready: (ref: RecordingRef) => void) {
    this.#ready = ready;
    this.#options = options;
    this.#recorder = recorder;
  }

  /** Waits until one of these recordings is ready. Returns whether one is. */
  async wait(needed: ReadonlySet<RecordingRef>): Promise<boolean> {
    const { clock, recordingTimeout, watcher } = this.#options;
    const { halt } = this.#recorder;
    for (let seconds = firstWait; ; seconds = Math.min(seconds * 1.5, longestWait)) {
      const open = [...needed].flatMap((ref) => this.#batchOf(ref) ?? []);
      if (open.length === 0 || halt.aborted) return false;
      const isFirst = this.#end === undefined;
      this.#end ??= clock.elapsed() + recordingTimeout * 1000;
      const ready: boolean[] = [];
      for (const one of open) ready.push(await this.#ask(one));
      if (ready.includes(true)) return true;
      const left = open.filter(({ ref }) => !this.#refused.has(ref));
      const rest = this.#end - clock.elapsed();
      if (left.length === 0 || rest <= 0) return false;
      if (isFirst)
        watcher.making(
          left.map(({ ref }) => nameIn(ref)),
          recordingTimeout,
        );
      await clock.sleep(Math.min(seconds * 1000, rest), halt).catch(() => {});
    }
  }

  #batchOf(ref: RecordingRef) {
    const { current } = madeRecording(this.#options.session.state, nameIn(ref)) ?? {};
    const { batch, identified } = current ?? {};
    if (batch === undefined || identified || this.#refused.has(ref)) return undefined;
    return { ref, batch };
  }

  async #ask({ ref, batch }: { readonly ref: RecordingRef; readonly batch: string }) {
    const answer = await this.#options.service.recordingBatch(batch, this.#recorder.halt);
    if (answer.kind !== "ready") {
      this.said.set(ref, answer.message);
      if (answer.kind === "refused") this.#refused.add(ref);
      return false;
    }
    const about = { key: nameIn(ref), recording: true, follow_up: null } as const;
    const evidence = `the service answered for batch ${batch}`;
    const event = { kind: "identified", ...about, id: answer.id, how: "list", evidence } as const;
    const isRecorded = await this.#recorder.record(event);
    if (isRecorded) this.#ready(ref);
    return isRecorded;
  }
}
