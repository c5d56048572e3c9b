import type { AliasEntry } from "../environment.ts";
import { type MapNode, field, textField } from "../read/node.ts";
import type { SeenMenu } from "../seen.ts";

/** The aliases that something refers to. */
export class AliasUses {
  readonly #used: Readonly<Record<AliasEntry["kind"], Set<string>>> = {
    recording: new Set(),
    sms_template: new Set(),
  };

  has({ kind, name }: Pick<AliasEntry, "kind" | "name">): boolean {
    return this.#used[kind].has(name);
  }

  addMenu({ recording, invalid, timeout, extra, options = [] }: SeenMenu): void {
    const recordings = [
      recording,
      invalid.recording,
      timeout.retryRecording,
      timeout.recording,
      extra.recordingInvalid,
    ];
    for (const own of recordings) this.#add("recording", own?.value.alias);
    for (const { sms } of options) this.#add("sms_template", sms?.alias);
  }

  /** What the defaults name is used, also where every menu has something else. */
  addDefaults(defaults: MapNode): void {
    const [invalid, timeout] = [field(defaults, "invalid"), field(defaults, "timeout")];
    this.#add("recording", textField(defaults, "recording"));
    this.#add("recording", textField(invalid, "recording"));
    this.#add("recording", textField(timeout, "retry_recording"));
    this.#add("recording", textField(timeout, "recording"));
    this.#add("recording", textField(field(defaults, "extra"), "recording_invalid"));
    const options = field(defaults, "options");
    for (const { value } of options?.kind === "map" ? options.entries : []) {
      this.#add("sms_template", textField(value, "sms"));
    }
  }

  #add(kind: AliasEntry["kind"], name: string | undefined): void {
    if (name !== undefined) this.#used[kind].add(name);
  }
}
