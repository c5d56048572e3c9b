import { type Menu, recordingsIn } from "../../model/menu.ts";
import type { Plan } from "../plan/plan.ts";
import { type Ref, recordingRef } from "../../schema/ref.ts";
import { groupBy } from "../../util/group-by.ts";
import { type Matter, matter } from "../reasons/kinds.ts";
import { type StateView, recordsOf } from "../state/view.ts";

/** The recordings that have no id yet. Those that menus of a plan do not use do not matter. */
export function recordingMatters({
  environment,
  state,
  plan,
  only,
}: {
  readonly environment: string;
  readonly state: StateView;
  readonly plan?: Plan | undefined;
  readonly only?: ReadonlySet<Ref> | undefined;
}): Matter[] {
  const wanted = plan && new Set(plan.desired.flatMap(({ content }) => namesToMake(content)));
  const open = recordsOf(state, "recording").filter(
    ({ key, current }) =>
      current &&
      !current.identified &&
      wanted?.has(key) !== false &&
      only?.has(recordingRef(key)) !== false,
  );
  const alike = groupBy(open, ({ current }) => current?.batch !== undefined);
  return [...alike].map(([hasBatch, some]) => {
    const names = some.map(({ key }) => key);
    const facts = { names, hasBatch };
    return matter("recording-not-ready", names.map(recordingRef), facts, environment);
  });
}

function namesToMake(menu: Menu | undefined): string[] {
  return menu ? recordingsIn(menu).flatMap(({ id, make }) => (make ? id : [])) : [];
}
