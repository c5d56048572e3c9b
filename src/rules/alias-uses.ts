import { type MapNode, field, textField } from "../yaml/node.ts";
import type { AliasEntry, ResolvedMenu } from "../compile/menu.ts";

/** An alias that something refers to. */
export type AliasUse = Pick<AliasEntry, "kind" | "name">;

/** The aliases that a menu refers to. */
export function usesOf({
  recording,
  invalid,
  timeout,
  extra,
  options = [],
}: ResolvedMenu): AliasUse[] {
  const recordings = [
    recording,
    invalid.recording,
    timeout.retryRecording,
    timeout.recording,
    extra.recordingInvalid,
  ];
  const use = (kind: AliasUse["kind"], name: string | undefined) =>
    name === undefined ? [] : [{ kind, name }];
  return [
    ...recordings.flatMap((own) => use("recording", own?.value.alias)),
    ...options.flatMap(({ sms }) => use("sms_template", sms?.alias)),
  ];
}

/** The aliases that something refers to. */
export class AliasUses {
  readonly #used: Readonly<Record<AliasEntry["kind"], Set<string>>> = {
    recording: new Set(),
    sms_template: new Set(),
  };

  has({ kind, name }: AliasUse): boolean {
    return this.#used[kind].has(name);
  }

  addAll(uses: readonly AliasUse[]): void {
    for (const { kind, name } of uses) this.#add(kind, name);
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
