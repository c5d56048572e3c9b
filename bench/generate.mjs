// @ts-check
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * What is wrong in each menu:
 * - misspelt: every destination names someone or something that the list does not have;
 * - ambiguous: one destination fits a whole team;
 * - incomplete: one field is missing.
 * @typedef {"misspelt" | "ambiguous" | "incomplete"} Fault
 */

/**
 * @typedef {object} Wanted
 * @property {number} menus
 * @property {number} agents
 * @property {"service" | "snapshot"} [shape] of the agent list: agents.json as the service
 *   answers, or agents.lock.json
 * @property {Fault} [fault]
 */

/**
 * An agent as the service lists it.
 * @typedef {ReturnType<typeof agent>} Agent
 */

/**
 * Writes a project to a temporary folder. The same wish makes the same files.
 * @param {Wanted} wanted
 */
export function generate({ menus, agents: size, shape = "service", fault }) {
  const folder = mkdtempSync(join(tmpdir(), "ivrctl-bench-"));
  const write = (/** @type {string} */ path, /** @type {string} */ text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const agents = Array.from({ length: size }, (_, index) => agent(index, size));
  if (shape === "service") write("agents.json", JSON.stringify(agents));
  else write("agents.lock.json", JSON.stringify(snapshot(agents), undefined, 2));
  write("ivrctl.yaml", config);
  const writer = new MenuWriter(agents, fault);
  for (let number = 0; number < menus; number += 1) {
    const city = pick(cities, number).toLowerCase();
    write(`ivrs/${city}/line-${String(number).padStart(5, "0")}.yaml`, writer.menu(number));
  }
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // Also where something fails, or somebody has seen enough.
  process.once("exit", remove);
  return {
    folder,
    remove: () => {
      process.off("exit", remove);
      remove();
    },
  };
}

const cities = ["Pune", "Mumbai", "Nagpur", "Nashik", "Delhi", "Jaipur", "Chennai", "Kochi"];
const topics = ["Sales", "Billing", "Support", "Orders", "Deliveries", "Returns", "Accounts"];
const regions = ["North", "South", "East", "West", "Centre"];
const given = [
  ..."Asha Ravi Meera Anil Priya Sanjay Kavita Rahul Neha Vikram Sunita Arjun Pooja Manoj Divya".split(
    " ",
  ),
  ..."Karan Lata Nikhil Rekha Suresh Tara Umesh Vidya Yash Zoya Farhan Gauri Harish Isha".split(
    " ",
  ),
  // Not every name is ASCII, nor every accent a character of its own.
  "अनिल",
  "मीरा",
  "Jose\u0301",
];
const heads = ["Ach", "Agar", "Bal", "Bhat", "Chau", "Desh", "Dik", "Gok", "Iy", "Jos", "Kul"];
const middles = ["an", "ar", "en", "ik", "il", "on", "ur", "and", "esh"];
const tails = ["a", "am", "ant", "e", "har", "i", "kar", "le", "mane", "pande", "rao", "wal"];
const recordings = 20;

/** Of a hundred agents, this many share another's name. */
const namesakes = 5;
const teams = topics.length * regions.length;

/**
 * @param {number} index
 * @param {number} size how many there are
 */
function agent(index, size) {
  const names = Math.max(1, Math.floor((size * (100 - namesakes)) / 100));
  // Of two with one name, each is in another team.
  const team = (index + Math.floor(index / names) * (names % teams === 0 ? 1 : 0)) % teams;
  const hasTeam = index % 23 !== 0;
  return {
    id: 100_000 + index,
    name: nameOf(index % names),
    follow_me_number: `+9198${String(10_000_000 + index * 7).padStart(8, "0")}`,
    eid: `0${500_000 + index}`,
    intercom: String(1_000 + index),
    calls_answered: noise(index) % 5_000,
    product_clicktocall: noise(index + 1) % 2,
    team_id: hasTeam ? 40 + team : null,
    team_name: hasTeam ? teamName(team) : null,
    custom_status: index % 50 === 7 ? 1 : 0,
    timegroup_name: null,
    timegroup_id: null,
    failover_destination: null,
    failover_destination_name: null,
    departments: departmentsOf(index).map((name) => ({
      name,
      id: String(topics.indexOf(name) + 1),
    })),
  };
}

/** @param {number} team */
function teamName(team) {
  return `${pick(topics, team)} ${pick(regions, Math.floor(team / topics.length))}`;
}

/** @param {number} index */
function departmentsOf(index) {
  const first = pick(topics, noise(index + 2));
  const second = pick(topics, noise(index + 3));
  return first === second || index % 3 > 0 ? [first] : [first, second];
}

const nameCount = given.length * heads.length * middles.length * tails.length * 2;

/** @param {number} number every one below nameCount has a name of its own */
function nameOf(number) {
  if (number >= nameCount) throw new RangeError(`there are names for ${nameCount} agents`);
  // A factor without a divisor in common with the count leads to each place once.
  let rest = (number * 30_011) % nameCount;
  const next = (/** @type {readonly string[]} */ list) => {
    const word = pick(list, rest);
    rest = Math.floor(rest / list.length);
    return word;
  };
  const first = next(given);
  const last = `${next(heads)}${next(middles)}${next(tails)}`;
  return rest === 0 ? `${first} ${last}` : `${first} K. ${last}`;
}

/**
 * What `ivrctl agents pull` keeps.
 * @param {readonly Agent[]} agents
 */
function snapshot(agents) {
  return {
    format_version: "1.0",
    service: "sandbox",
    agents: agents.map((agent) => ({
      id: String(agent.id),
      name: agent.name,
      eid: agent.eid,
      intercom: agent.intercom,
      team: agent.team_name,
      departments: agent.departments.map(({ name }) => name),
      blocked: agent.custom_status === 1,
    })),
  };
}

const prompt =
  "For sales, press 1. For billing, press 2. For new orders, press 3. For deliveries and returns, press 4. For complaints, press 5. To go back, press star. For our front desk, press 0.";

const config = `version: 1
default_environment: sandbox

defaults:
  invalid: { retries: 2, recording: not-valid }

recordings:
${Array.from(
  { length: recordings },
  (_, n) => `  welcome-${n}: { id: "${19_600 + n}", says: "${prompt}", seconds: 19 }`,
).join("\n")}
  not-valid: "19550"
  still-there: "19551"
  goodbye: { id: "19552", says: We are connecting you to our front desk., seconds: 3 }

rules:
  menu-too-long: { max: 5 }

environments:
  sandbox:
    service: sandbox
  production:
    service:
      base_url: \${TELEPHONY_BASE_URL}
      token: \${TELEPHONY_TOKEN}
    recordings: { goodbye: "88104" }
`;

/** Menus of about 40 lines that lead to agents who can take calls. */
class MenuWriter {
  /** @type {readonly Agent[]} */
  #reachable;
  /** @type {ReadonlySet<string>} */
  #shared;
  /** @type {Fault | undefined} */
  #fault;
  #next = 0;

  /**
   * @param {readonly Agent[]} agents
   * @param {Fault | undefined} fault
   */
  constructor(agents, fault) {
    const seen = new Set();
    const shared = new Set();
    for (const { name } of agents) (seen.has(name) ? shared : seen).add(name);
    this.#shared = shared;
    this.#reachable = agents.filter(({ custom_status }) => custom_status === 0);
    this.#fault = fault;
  }

  /** @param {number} number */
  menu(number) {
    const city = pick(cities, number);
    const topic = pick(topics, number);
    const desk = this.#name();
    return `# Calls to the ${city} office that come in on line ${number}.
# The prompt is read out by the office itself: change both together.
name: ${city} ${topic.toLowerCase()} ${number}
description: ${topic} calls to the ${city} office, on line ${number}
recording: welcome-${number % recordings}
owner: ${topic.toLowerCase()}@${city.toLowerCase()}.example

options:
  1: ${this.#name()}
  # Names are shared now and then: the team says which one is meant.
  2: ${this.#mapping("Billing", "team")}
  3: ${this.#mapping("New orders", "team")}
  4:
    for: Deliveries and returns
${this.#lines()}
  5: ${this.#mapping("Complaints", "eid")}
  star: { for: Back, agent: ${this.#name()} } # to the office's first menu
  0: ${this.#fallback(number)}

${number % 5 === 0 ? this.#endingsMerged(desk) : this.#endings(desk)}

# What callers do, and whom they must reach.
tests:
  - { press: 0, via: option }
  - name: silence, then a key
    press: [_, 5]
    via: option
  - { press: ${number % 5 === 0 ? "[9, 9, 9, 9]" : "[9, 9, 9]"}, reaches: *desk, via: invalid }
  - press: []
    reaches: *desk
    via: timeout
`;
  }

  /** @param {number} number */
  #fallback(number) {
    const team = teamName(number % teams);
    if (this.#fault === "ambiguous") return `{ for: Front desk, team: ${team} }`;
    if (this.#fault === "misspelt" && number % 2 === 1) {
      return `{ for: Front desk, team: ${this.#spelt(team)} }`;
    }
    return this.#mapping("Front desk", "intercom");
  }

  /** @param {string} desk */
  #endings(desk) {
    return `# Whoever gets lost is picked up by the desk.
invalid:
  destination: &desk ${desk}
timeout:
${this.#wait(5)}  retries: 2
  retry_recording: still-there
  recording: goodbye
  destination: *desk`;
  }

  /** @param {string} desk */
  #endingsMerged(desk) {
    return `invalid: &ending
  retries: 3
  recording: not-valid
  destination: &desk ${desk}
timeout:
  <<: *ending
${this.#wait(8)}  retry_recording: still-there
  recording: goodbye`;
  }

  /**
   * The line that an incomplete menu lacks.
   * @param {number} time
   */
  #wait(time) {
    return this.#fault === "incomplete" ? "" : `  wait: ${time}\n`;
  }

  #name() {
    const { name } = this.#agent(({ name }) => !this.#shared.has(name));
    return this.#spelt(name);
  }

  /**
   * @param {string} purpose
   * @param {"team" | "intercom" | "eid"} mark
   */
  #mapping(purpose, mark) {
    const agent = this.#agent(({ team_name }) => team_name !== null);
    const marks = {
      team: () => `agent: ${this.#spelt(agent.name)}, team: ${agent.team_name}`,
      intercom: () => `intercom: "${this.#spelt(agent.intercom)}"`,
      eid: () => `eid: ${this.#spelt(agent.eid)}`,
    };
    return `{ for: ${purpose}, ${marks[mark]()} }`;
  }

  #lines() {
    const agent = this.#agent(({ name }) => !this.#shared.has(name));
    return `    agent: ${this.#spelt(agent.name)}\n    department: ${agent.departments[0]?.name}`;
  }

  /** @param {string} text */
  #spelt(text) {
    if (this.#fault !== "misspelt") return text;
    if (/^\d+$/.test(text)) return `${text.slice(0, -1)}77${text.slice(-1)}`;
    const middle = Math.floor(text.length / 2);
    return `${text.slice(0, middle)}q${text.slice(middle + 1)}`;
  }

  /**
   * The next who fits, far from the last.
   * @param {(agent: Agent) => boolean} fits
   */
  #agent(fits) {
    for (let tries = 0; tries < this.#reachable.length; tries += 1) {
      this.#next += 1;
      const found = pick(this.#reachable, noise(this.#next));
      if (fits(found)) return found;
    }
    throw new Error("none of these agents fits");
  }
}

/**
 * @template T
 * @param {readonly T[]} list
 * @param {number} number
 */
function pick(list, number) {
  const item = list[number % list.length];
  if (item === undefined) throw new RangeError("nothing to pick from");
  return item;
}

/**
 * The same number always gives the same one, and neighbours lie far apart.
 * @param {number} seed
 */
function noise(seed) {
  let mixed = Math.imul(seed ^ (seed >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
