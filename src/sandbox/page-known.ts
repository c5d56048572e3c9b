import { agentWords } from "../call/words.ts";
import type { Agent } from "../compile/agents.ts";
import { destinationsIn, menuDestination } from "../schema/wire.ts";
import { groupBy } from "../util/group-by.ts";
import { Html, html, nothing } from "../util/html.ts";
import { phoneText } from "../util/phone.ts";
import type { SandboxRecord } from "./account.ts";
import type { SandboxNumber } from "./lists.ts";

/** What destinations lead to, and what leads to each menu. */
export interface Known {
  /** By their destinations, as the menus. */
  readonly agents: ReadonlyMap<string, Agent>;
  readonly menus: ReadonlyMap<string, SandboxRecord>;
  /** The menus that lead to a destination. */
  readonly leaders: ReadonlyMap<string, readonly SandboxRecord[]>;
  /** The phone numbers that lead to a destination. */
  readonly numbers: ReadonlyMap<string | null, readonly SandboxNumber[]>;
  /** Where a menu is open on this page. */
  readonly address: (record: SandboxRecord) => string;
}

interface Account {
  readonly records: readonly SandboxRecord[];
  readonly numbers: readonly SandboxNumber[];
  readonly agents: readonly Agent[];
}

export function knownIn({ records, numbers, agents }: Account, address: Known["address"]): Known {
  const links = records.flatMap((record) =>
    [...new Set(destinationsIn(record.payload))].map((destination) => ({ record, destination })),
  );
  return {
    agents: new Map(agents.map((agent) => [`extension||${agent.eid}`, agent])),
    menus: new Map(records.map((record) => [menuDestination(String(record.number)), record])),
    leaders: new Map(
      [...groupBy(links, ({ destination }) => destination)].map(([to, own]) => [
        to,
        own.map(({ record }) => record),
      ]),
    ),
    numbers: groupBy(numbers, ({ destination }) => destination),
    address,
  };
}

/** What a caller reaches: a link to a menu, or an agent with a name. */
export function destinationLabel(destination: string, known: Known): Html {
  const menu = known.menus.get(destination);
  if (menu !== undefined) return menuLink(menu, known);
  const agent = known.agents.get(destination);
  if (agent !== undefined) return agentLabel(agent);
  if (destination === "hangup||1") return html`the call ends`;
  const words = destination.replace("||", " ").replace("ivr ", "menu ");
  const isOther = !/^(?:ivr|extension)\|\|/.test(destination);
  return isOther ? html`${words}` : html`<span class="bad">${words}, which does not exist</span>`;
}

function agentLabel(agent: Agent): Html {
  const [name = "", mark = ""] = agentWords(agent);
  const blocked = agent.blocked ? html`, <span class="bad">blocked</span>` : nothing;
  return html`<bdi>${name}</bdi> (${mark}${blocked})`;
}

/** A link to the description of a menu on this page. */
function menuLink(record: SandboxRecord, { address }: Known): Html {
  const { number } = record;
  return html`<a href="${address(record)}">menu ${number}, “${named(record)}”</a>`;
}

/** The phone numbers and menus that lead to a menu. */
export function leadsTo({ number }: SandboxRecord, { numbers, leaders }: Known) {
  const to = menuDestination(String(number));
  return { numbers: numbers.get(to) ?? [], menus: leaders.get(to) ?? [] };
}

/** What leads to a menu in words: `Reached from +91 22 4123 4567 (Main line), menu 2.` */
export function reachedFrom(record: SandboxRecord, known: Known): Html {
  const { numbers, menus } = leadsTo(record, known);
  const from = [...numbers.map(numberLabel), ...menus.map((leader) => menuLink(leader, known))];
  if (from.length === 0) return nothing;
  return html`<p>Reached from ${from.map((one, at) => html`${at === 0 ? "" : ", "}${one}`)}.</p>`;
}

function numberLabel({ did, name }: SandboxNumber): Html {
  return html`${phoneText(did)} (<bdi>${name}</bdi>)`;
}

export function named({ payload }: SandboxRecord): Html {
  return html`<bdi>${payload.name}</bdi>`;
}

/** The words that a search for a phone number may use, with and without spaces. */
export function numberWords({ did, name }: SandboxNumber): string[] {
  return [did, phoneText(did), name];
}

/** The words that a search for a destination may use. */
export function destinationWords(destination: string, { agents, menus }: Known): string {
  const menu = menus.get(destination);
  if (menu !== undefined) return `menu ${menu.number} ${menu.payload.name}`;
  return agents.get(destination)?.name ?? destination;
}
