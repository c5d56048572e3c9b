import { normalName } from "../compile/agents.ts";
import type { ResolvedMenu } from "../compile/menu.ts";
import type { LiveMenus } from "../deploy/plan/live.ts";
import type { LiveMenu } from "../deploy/service/live-menu.ts";
import { needsId } from "../deploy/state/records.ts";
import { type LiveRecord, type StateView, liveRecords } from "../deploy/state/state.ts";
import type { Payload } from "../schema/wire.ts";
import { suggest, suggestId } from "../util/suggest.ts";
import type { Reason } from "./live-payload.ts";

/** Tells which menus of the service are on record, or may be. */
export class OnRecord {
  readonly #state: StateView;
  readonly #live: LiveMenus;
  readonly #environment: string;
  readonly #byId: ReadonlyMap<string, LiveRecord>;
  readonly #suspects: readonly Suspect[];

  constructor(state: StateView, live: LiveMenus, environment: string) {
    this.#state = state;
    this.#live = live;
    this.#environment = environment;
    const records = liveRecords(state);
    this.#byId = new Map(
      records.flatMap((own) => (own.record.identified ? [[own.record.identified.id, own]] : [])),
    );
    this.#suspects = [
      ...[...state.keys].flatMap(([key, { pending }]) =>
        pending === null || needsId(pending)
          ? []
          : suspect(pending.payload, live, {
              reason: `The outcome of \`${key}\` is unknown, and this may be the menu that it created.`,
              hint: {
                words: "Resolve it first. To see how, run:",
                argv: suggest("state show", [key], environment),
              },
            }),
      ),
      ...records.flatMap(({ key, followUp, record }) =>
        record.identified !== undefined
          ? []
          : suspect(record.payload, live, {
              reason: `It may be the menu of ${followUp === null ? `\`${key}\`` : `the follow-up ${followUp} (\`${key}\`)`}, whose id is not on record.`,
              followUp: followUp ?? key,
            }),
      ),
    ];
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** The key, or the follow-up, whose record has this id. */
  keyOf(id: string): string | undefined {
    const found = this.#byId.get(id);
    return found && (found.followUp ?? found.key);
  }

  /** The id of the menu that a menu of the project is on record as. */
  idOf({ key, movedFrom }: Pick<ResolvedMenu, "key" | "movedFrom">): string | undefined {
    return this.#recordOf({ key, movedFrom })?.current?.identified?.id;
  }

  /** Why a menu may already be on record, although no record has its id. */
  mayBe(menu: LiveMenu): Reason | undefined {
    const name = normalName(menu.name);
    const found = this.#suspects.find(
      (own) => own.name === name || (own.isRenamed && this.#differsOnlyInName(menu, own.payload)),
    );
    if (found === undefined) return undefined;
    const { reason, hint, record } = found;
    if (record === undefined) return { reason, hint };
    const argv = suggestId([`${record}=${menu.id}`], this.#environment);
    return { reason, hint: { words: "If it is, record its id:", argv } };
  }

  /** Why a menu of the project cannot become the record of another menu. */
  whyTaken(menu: ResolvedMenu): Reason | undefined {
    const { key, source } = menu;
    const rename = "Rename one of the two menus, then import this one.";
    if (key === undefined) {
      return { reason: `${source.file} has the same name, but no valid key.`, hint: rename };
    }
    if (this.#recordOf(menu) === undefined) return undefined;
    const id = this.idOf(menu);
    const as = id === undefined ? "" : ` as menu ${id}`;
    return { reason: `\`${key}\` has the same name, and is on record${as}.`, hint: rename };
  }

  #recordOf({ key, movedFrom }: Pick<ResolvedMenu, "key" | "movedFrom">) {
    const { keys } = this.#state;
    return keys.get(key ?? "") ?? keys.get(movedFrom?.value ?? "");
  }

  #differsOnlyInName({ id }: LiveMenu, payload: Payload): boolean {
    const seen = this.#live.see(id, payload);
    return (
      seen.kind === "listed" &&
      seen.drift.every(({ field }) => field === "name" || field === "description")
    );
  }
}

/** A menu that exists, or may exist, and whose id is not known. */
interface Suspect extends Reason {
  readonly name: string;
  readonly payload: Payload;
  /** Whether no menu has its name, so that somebody may have renamed it. */
  readonly isRenamed: boolean;
  /** The key or follow-up that an id could be recorded for. */
  readonly record?: string | undefined;
}

function suspect(
  payload: Payload,
  live: LiveMenus,
  { followUp, ...reason }: Reason & { readonly followUp?: string },
): Suspect {
  const isRenamed = live.named(payload.name).length === 0;
  return { ...reason, name: normalName(payload.name), payload, isRenamed, record: followUp };
}
