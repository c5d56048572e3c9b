import type { Ref } from "../../schema/ref.ts";
import { byCreation, resolveEvents, subjectsIn } from "../state/resolve.ts";
import { idOnRecord } from "../state/view.ts";
import type { ApplyOptions } from "./apply-options.ts";
import type { Recorder } from "./recorder.ts";

/** Asks the user for ids of menus that others wait for, each once. */
export class IdQuestions {
  readonly #options: Pick<ApplyOptions, "askId" | "session">;
  readonly #recorder: Recorder;
  /** The menus whose ids somebody was asked for. */
  readonly #asked = new Set<Ref>();

  constructor(options: Pick<ApplyOptions, "askId" | "session">, recorder: Recorder) {
    this.#options = options;
    this.#recorder = recorder;
  }

  /** Whether the user has typed the id of a menu. */
  isAnswered(ref: Ref): boolean {
    return this.#asked.has(ref) && idOnRecord(this.#options.session.state, ref) !== undefined;
  }

  /** Asks for the missing ids of these menus, the oldest menu first. Returns whether one was recorded. */
  async ask(awaited: ReadonlySet<Ref>): Promise<boolean> {
    const { askId, session } = this.#options;
    const open = [...subjectsIn(session.state).values()]
      .filter(({ ref, current, pending }) => awaited.has(ref) && current && !pending)
      .filter(({ ref }) => idOnRecord(session.state, ref) === undefined && !this.#asked.has(ref))
      .sort((a, b) => byCreation(a, b));
    let isLearned = false;
    for (const subject of open) {
      this.#asked.add(subject.ref);
      const id = await askId?.(subject);
      if (id === undefined || this.#recorder.halt.aborted) return false;
      if (id === "") continue;
      const events = resolveEvents({ ...subject, id }, "created", "entered during apply");
      if (!(await this.#recorder.record(...events))) return false;
      isLearned = true;
    }
    return isLearned;
  }
}
