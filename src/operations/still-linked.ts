import type { Moment } from "../deploy/state/change.ts";
import { currentInboundLinks } from "../deploy/state/inbound-links.ts";
import { liveRecord } from "../deploy/state/view.ts";
import { menuRef } from "../schema/ref.ts";
import { suggest, suggestId } from "../util/suggest.ts";

/* Menus that callers still reach from others, although their records are to end. */

/** Reports old menus that cannot be out of service, because recorded menus link to them. */
export function reportReached(
  ids: readonly string[],
  { state, environment, report }: Moment,
): void {
  const linksTo = currentInboundLinks(state);
  for (const id of ids) {
    const record = liveRecord(state, `old:${id}`);
    const sources = record === undefined ? [] : linksTo(record);
    if (sources.length === 0) continue;
    const names = sources.join(" and ");
    report(
      `${id} is still in use: ${names} ${sources.length === 1 ? "links" : "link"} to this old menu (id ${record?.identified?.id}).`,
      {
        words: `Apply the change of ${names} first. To see what is left to do, run:`,
        argv: suggest("plan", [], environment),
      },
    );
  }
}

/** Warns that menus which stay on record link to a menu whose record is deleted. */
export function warnOfLinks(keys: readonly string[], { state, environment, report }: Moment): void {
  const linksTo = currentInboundLinks(state);
  for (const key of keys) {
    const current = liveRecord(state, menuRef(key));
    const sources = current ? linksTo(current) : [];
    const left = sources.filter((source) => !keys.includes(source));
    if (left.length === 0) continue;
    report(
      `In the state, ${left.join(" and ")} ${left.length === 1 ? "links" : "link"} to ${key} (id ${current?.identified?.id}). Callers still reach it from there.`,
      {
        words: "The next apply creates a second menu. If this one still exists, record it again:",
        argv: suggestId([`${key}=${current?.identified?.id}`], environment),
      },
      "warning",
    );
  }
}
