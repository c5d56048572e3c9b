import type { Payload } from "../schema/fields.ts";
import type { QuirkName } from "../schema/trial-rows.ts";

/** A menu as the list shows it. */
export interface ListedMenu extends Readonly<Record<string, unknown>> {
  readonly id: number;
  readonly name: string;
  readonly ivr_menu: readonly ListedOption[];
}

interface ListedOption {
  readonly option: string;
  readonly destination_type: string;
  readonly destination_id: string;
  readonly sms_template_id: string;
  readonly webhook_id: string;
}

const laterLists = 2;
/** How often a recording is not ready yet. */
const batchesAsked = 1;
const refusedFields = [
  "invalid_recording",
  "timeout_retry_recording",
  "timeout_recording",
] as const;

/** How a sandbox deviates from what ivrctl assumes about services. */
export class Quirks {
  readonly names: ReadonlySet<QuirkName>;
  /** How often a list has left out each menu. */
  readonly #left = new Map<number, number>();
  /** How often each batch was asked about. */
  readonly #asked = new Map<string, number>();

  constructor(names: Iterable<QuirkName> = []) {
    this.names = new Set(names);
  }

  /** What such a service says about a payload that the documentation allows. */
  refusal(payload: Payload): Readonly<Record<string, readonly string[]>> | undefined {
    if (this.names.has("final-recording") && payload.recording_invalid === undefined)
      return { recording_invalid: ["The recording_invalid field is required."] };
    const field = refusedFields.find((name) => payload[name].includes("||"));
    if (this.names.has("plain-recordings") && field !== undefined)
      return { [field]: [`The ${field} must be the id alone.`] };
    if (this.names.has("numbers") && typeof payload.timeout === "string")
      return { timeout: ["The timeout must be a number."] };
    return undefined;
  }

  /** How far a recording is. The service is asked about it now. */
  batch(id: string): "ready" | "waiting" | "failed" {
    if (this.names.has("record-fails")) return "failed";
    if (this.names.has("never-ready")) return "waiting";
    const times = this.#asked.get(id) ?? 0;
    this.#asked.set(id, times + 1);
    return times < batchesAsked ? "waiting" : "ready";
  }

  /** The recordings that lists show. */
  listed<T>(recordings: readonly T[]): readonly T[] {
    return this.names.has("recordings-unlisted") ? [] : recordings;
  }

  /** The content of a menu after an update. */
  updated(before: Payload, after: Payload): Payload {
    return this.names.has("updates") ? { ...after, description: before.description } : after;
  }

  /** The list of menus. `sent` returns what a menu was sent with. */
  list(menus: readonly ListedMenu[], sent: (id: number) => Payload | undefined): ListedMenu[] {
    return menus.filter(({ id }) => !this.#isLate(id)).map((menu) => this.#listed(menu, sent));
  }

  #isLate(id: number): boolean {
    const times = this.#left.get(id) ?? 0;
    this.#left.set(id, times + 1);
    return this.names.has("late") && times < laterLists;
  }

  #listed(menu: ListedMenu, sent: (id: number) => Payload | undefined): ListedMenu {
    const { ivr_menu: options } = menu;
    const retries = sent(menu.id)?.timeout_retries;
    const reversed = options.toReversed();
    return {
      ...menu,
      ...(this.names.has("names") && { name: menu.name.toUpperCase() }),
      ...(this.names.has("retries") && retries !== undefined && { timeout_retries: retries }),
      ...(this.names.has("fields") && { timeout: Number(menu["timeout"]) * 1000 }),
      ivr_menu: options.map((option, at) =>
        Object.assign(
          {},
          option,
          this.names.has("positions") && { destination_id: reversed[at]?.destination_id ?? "" },
          this.names.has("kinds") &&
            option.destination_type === "extension" && { destination_type: "agent" },
        ),
      ),
    };
  }
}
