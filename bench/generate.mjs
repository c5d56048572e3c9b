// @ts-check
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workFolder } from "./measure.mjs";

/**
 * An agent as the service lists it.
 * @typedef {ReturnType<typeof agent>} Agent
 */

const size = 1_000;
let projects = 0;

/**
 * Writes a project with this many menus and 1,000 agents, and returns its folder. The content is always the same.
 * @param {number} menus
 * @param {(text: string, number: number) => string} edit changes the text of each menu
 */
export function generate(menus, edit = (text) => text) {
  projects += 1;
  const folder = join(workFolder, `project-${projects}`);
  const agents = Array.from({ length: size }, (_, index) => agent(index));
  const writer = new MenuWriter(agents);
  for (const city of cities)
    mkdirSync(join(folder, "ivrs", city.toLowerCase()), { recursive: true });
  writeFileSync(join(folder, "agents.lock.json"), JSON.stringify(agents));
  writeFileSync(join(folder, "ivrctl.yaml"), config);
  for (let number = 0; number < menus; number += 1) {
    const path = `ivrs/${keyOf(number)}.yaml`;
    writeFileSync(join(folder, path), edit(writer.menu(number), number));
  }
  return folder;
}

/**
 * The same project, with a link from each menu to the next one.
 * @param {number} menus
 */
export function generateFlow(menus) {
  return generate(menus, (text, number) =>
    number + 1 < menus
      ? text.replace(/^  5: .*/m, `  5: { for: Next, menu: ${keyOf(number + 1)} }`)
      : text,
  );
}

/**
 * The same project, of groups of four: the first has a phone number and links to the others. The sandbox
 * lists and updates menus, and a person points the numbers.
 * @param {number} menus
 */
export function generateFleet(menus) {
  const folder = generate(menus, (text, number) => {
    if (number % 4 > 0) return text;
    const [next, after, last] = [1, 2, 3].map((more) => `{ menu: ${keyOf(number + more)} }`);
    const links = text
      .replace(/^  1: .*/m, `  1: ${next}`)
      .replace(/^  2: .*/m, `  2: ${after}`)
      .replace(/^  3: .*/m, `  3: ${last}`);
    return `${links}numbers: ["+9122${String(10_000_000 + number)}"]\n`;
  });
  const listing = "service: sandbox\n    operations: [list, update]";
  writeFileSync(join(folder, "ivrctl.yaml"), config.replace("service: sandbox", listing));
  return folder;
}

/** @param {number} number */
function keyOf(number) {
  return `${pick(cities, number).toLowerCase()}/line-${String(number).padStart(5, "0")}`;
}

/**
 * Writes a project of shops with the same menu, and returns its folder.
 * @param {number} shops
 * @param {"written out" | "from defaults"} form whether each shop has all fields, or only its variables
 */
export function generateShops(shops, form) {
  projects += 1;
  const folder = join(workFolder, `project-${projects}`);
  const agents = Array.from({ length: size }, (_, index) => agent(index));
  const menu = new MenuWriter(agents).menu(1).replace(/^name: .*/m, 'name: "Shop {{shop}}"');
  mkdirSync(join(folder, "ivrs/shops"), { recursive: true });
  writeFileSync(join(folder, "agents.lock.json"), JSON.stringify(agents));
  writeFileSync(join(folder, "ivrctl.yaml"), config);
  if (form === "from defaults") writeFileSync(join(folder, "ivrs/shops/_defaults.yaml"), menu);
  for (let number = 0; number < shops; number += 1) {
    const text =
      form === "from defaults"
        ? `vars: { shop: ${number} }\n`
        : menu.replace("{{shop}}", String(number));
    writeFileSync(join(folder, `ivrs/shops/shop-${String(number).padStart(5, "0")}.yaml`), text);
  }
  return folder;
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
  // Some names are not ASCII, and some accents are combining characters.
  "अनिल",
  "मीरा",
  "Jose\u0301",
];
const heads = ["Ach", "Agar", "Bal", "Bhat", "Chau", "Desh", "Dik", "Gok", "Iy", "Jos", "Kul"];
const middles = ["an", "ar", "en", "ik", "il", "on", "ur", "and", "esh"];
const tails = ["a", "am", "ant", "e", "har", "i", "kar", "le", "mane", "pande", "rao", "wal"];
const recordings = 20;

/** The last 50 agents have the names of the first 50. */
const names = 950;
const teams = topics.length * regions.length;

/** @param {number} index */
function agent(index) {
  // 950 is not a multiple of 35, so two agents with the same name are in different teams.
  const team = index % teams;
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

const nameCount = given.length * heads.length * middles.length * tails.length;

/** @param {number} number every number below nameCount has a different name */
function nameOf(number) {
  // The factor and the count have no common divisor, so that every name comes up once.
  let rest = (number * 30_011) % nameCount;
  const next = (/** @type {readonly string[]} */ list) => {
    const word = pick(list, rest);
    rest = Math.floor(rest / list.length);
    return word;
  };
  return `${next(given)} ${next(heads)}${next(middles)}${next(tails)}`;
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
      concurrency: 16
    state: { backend: file }
    recordings: { goodbye: "88104" }
`;

/** Writes menus of about 40 lines that lead to agents who can take calls. */
class MenuWriter {
  /** @type {readonly Agent[]} */
  #reachable;
  /** @type {ReadonlySet<string>} */
  #shared;
  #next = 0;

  /** @param {readonly Agent[]} agents */
  constructor(agents) {
    this.#shared = new Set(agents.slice(names).map(({ name }) => name));
    this.#reachable = agents.filter(({ custom_status }) => custom_status === 0);
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
  0: ${this.#mapping("Front desk", "intercom")}

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

  /** @param {string} desk */
  #endings(desk) {
    return `# Whoever gets lost is picked up by the desk.
invalid:
  destination: &desk ${desk}
timeout:
  wait: 5
  retries: 2
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
  wait: 8
  retry_recording: still-there
  recording: goodbye`;
  }

  #name() {
    return this.#agent(({ name }) => !this.#shared.has(name)).name;
  }

  /**
   * @param {string} purpose
   * @param {"team" | "intercom" | "eid"} field
   */
  #mapping(purpose, field) {
    const { name, team_name, intercom, eid } = this.#agent(({ team_name }) => team_name !== null);
    const fields = {
      team: `agent: ${name}, team: ${team_name}`,
      intercom: `intercom: "${intercom}"`,
      eid: `eid: ${eid}`,
    };
    return `{ for: ${purpose}, ${fields[field]} }`;
  }

  #lines() {
    const { name, departments } = this.#agent(({ name }) => !this.#shared.has(name));
    return `    agent: ${name}\n    department: ${departments[0]?.name}`;
  }

  /**
   * Returns the next agent that fits. Consecutive agents are far apart in the list.
   * @param {(agent: Agent) => boolean} fits
   */
  #agent(fits) {
    for (let tries = 0; tries < this.#reachable.length; tries += 1) {
      this.#next += 1;
      const found = pick(this.#reachable, noise(this.#next));
      if (fits(found)) return found;
    }
    throw new Error("no agent fits");
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
 * Returns a number that looks random and is always the same for the same seed.
 * @param {number} seed
 */
function noise(seed) {
  let mixed = Math.imul(seed ^ (seed >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
