import type { ComparedMenu } from "../deploy/plan/changes/plan-since.ts";
import { idsOfRecords, liveRecords, menuRecord } from "../deploy/state/view.ts";
import type { CompiledProject } from "../workspace/compile-project.ts";
import type { Listed, LiveFlow } from "./live-flow.ts";

type Live = LiveFlow & Pick<Listed, "lists" | "agents" | "state">;

/** What the files are compared with, if that is the service. */
export interface LiveComparison {
  /** The menus that are recorded or have a file. */
  readonly menus: readonly ComparedMenu[];
  /** The keys of those that cannot be read, so that nobody knows what differs. */
  readonly unreadable: ReadonlySet<string>;
  /** The other menus of the service: no file says anything about them. */
  readonly unmanaged: readonly { readonly id: string; readonly name: string }[];
}

/** The menus of the service with the keys of their files. What a list does not show is as it was applied. */
export function compareLive(
  live: Live,
  { compiled }: Pick<CompiledProject, "compiled">,
): LiveComparison {
  const files = new Map([...compiled.values()].map(({ key, content }) => [key, content]));
  const onRecord = idsOfRecords(liveRecords(live.state));
  const names = {
    agents: live.agents,
    menus: new Map(live.menus.flatMap(({ id, key }) => (id === null ? [] : [[id, key] as const]))),
  };
  const menus: ComparedMenu[] = [];
  const unreadable = new Set<string>();
  const unmanaged: { id: string; name: string }[] = [];
  for (const { id, key, name = "without a name", imported } of live.menus) {
    const applied = menuRecord(live.state, key)?.current?.menu ?? files.get(key);
    if (applied === undefined) {
      if (id !== null && !onRecord.has(id)) unmanaged.push({ id, name });
      continue;
    }
    const seen = id === null ? undefined : live.lists.menus.see(id, applied, names);
    if (imported && seen?.kind === "seen" && "menu" in seen.content) {
      menus.push({ key, id: seen.id, content: seen.content.menu });
    } else unreadable.add(key);
  }
  return { menus, unreadable, unmanaged };
}
