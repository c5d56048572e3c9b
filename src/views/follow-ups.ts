import {
  type InboundLinks,
  currentInboundLinks,
  recordedLinks,
} from "../deploy/state/inbound-links.ts";
import type { StateView } from "../deploy/state/state.ts";
import { creationTime } from "../deploy/state/view.ts";
import type { FollowUp } from "../schema/state.ts";
import { type Argv, suggest } from "../util/suggest.ts";
import { second } from "../util/time.ts";
import { type Page, visible } from "./terminal.ts";
import { wrap } from "./text.ts";

/** The old menu of a follow-up, and when it was replaced or removed. */
function describeFollowUp({ reason, created_at: at, current, pending }: FollowUp): string {
  const since =
    reason === "trial"
      ? "made by a trial. Delete it on the console"
      : reason === "duplicate"
        ? `found to be a second menu ${second(at)} UTC. Find out which of the two the phone number uses`
        : `${reason} ${second(at)} UTC`;
  const { identified } = current;
  const id = identified === undefined ? "" : ` (id ${identified.id})`;
  const open = pending === null ? "" : ". It may be deleted: the outcome is unknown";
  return `“${current.menu.name}”${id} ${creationTime(current)}, ${since}${open}`;
}

const followUpsTitle = "Follow-ups (old menus to take out of service on the console)";

/**
 * The command that marks a follow-up as done, when to run it, and the one that deletes the old menu
 * on the service. The example is an old menu that no other one links to, else one that no current menu links to.
 * Undefined if current menus link to all of them: `state done` would refuse.
 */
export function doneHint(
  followUps: readonly FollowUp[],
  environment: string,
  state?: StateView,
): { readonly when: string; readonly argv: Argv; readonly deleting: Argv } | undefined {
  const none = () => [];
  const [all, current] = state ? [recordedLinks(state), currentInboundLinks(state)] : [none, none];
  const without = (linksTo: InboundLinks) =>
    followUps.find(({ current }) => linksTo(current).length === 0);
  const id = (without(all) ?? without(current))?.id;
  if (id === undefined) return undefined;
  return {
    when:
      followUps.length === 1
        ? "When the old menu is out of service, run"
        : "When one of them is out of service, run (for example)",
    argv: suggest("state done", [id], environment),
    deleting: suggest("apply", [], environment, ["--allow", "delete", "--target", `old:${id}`]),
  };
}

/** The open follow-ups as text; empty if there are none. */
export function followUpsText(
  followUps: readonly FollowUp[],
  environment: string,
  { style, command, wordWrap }: Pick<Page, "style" | "command" | "wordWrap">,
  { state, canDelete = false }: { readonly state?: StateView; readonly canDelete?: boolean } = {},
): string {
  if (followUps.length === 0) return "";
  const hint = doneHint(followUps, environment, state);
  return [
    style("bold", `${followUpsTitle}:`),
    ...followUpLines(followUps, wordWrap, state && recordedLinks(state)),
    `  ${hint?.when ?? "Callers still reach them from live menus. To see what to apply first, run"}:`,
    `    ${command(hint?.argv ?? suggest("plan", [], environment))}`,
    ...(hint && canDelete
      ? ["  To delete it on the service, run:", `    ${command(hint.deleting)}`]
      : []),
    "",
  ].join("\n");
}

/**
 * A table of follow-ups, with the menus that link to the old one, if they are known. Descriptions
 * wrap in their column, or below the key if the column would be too narrow.
 */
export function followUpLines(
  followUps: readonly FollowUp[],
  columns: number,
  linksTo?: InboundLinks,
): string[] {
  const keyWidth = widest(followUps.map(({ key }) => visible(key)));
  const idWidth = widest(followUps.map(({ id }) => id));
  return followUps.map((followUp) => {
    const { id, key } = followUp;
    const sources = linksTo?.(followUp.current) ?? [];
    const reached = sources.length === 0 ? "" : `. Menus that link to it: ${sources.join(", ")}`;
    const words = visible(`${describeFollowUp(followUp)}${reached}`);
    const lead = `  ${id.padEnd(idWidth)}  ${visible(key).padEnd(keyWidth)}  `;
    const hanging = " ".repeat(lead.length > columns / 2 ? idWidth + 4 : lead.length);
    return lead + wrap(words, hanging, columns, lead.length - hanging.length).trimStart();
  });
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}
