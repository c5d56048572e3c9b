import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Account, AccountEvent } from "../../src/sandbox/account.ts";
import { destinationParts } from "../../src/schema/destination-kinds.ts";
import type { OperationName } from "../../src/schema/operations.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import type { StateListContent } from "../../src/schema/output/state-output.ts";
import { type FaultRule, faultsBy } from "../support/faults.ts";
import { clock } from "../support/host.ts";
import { Finding, shownOf } from "./checks.ts";
import { deaths } from "./every-write.ts";
import { type Ran, runOnce } from "./process.ts";
import { Random, seedOf } from "./random.ts";
import type { Found, Search, Searched } from "./search.ts";
import { type StoreUnderTest, inFiles } from "./store-under-test.ts";
import { Tally, count, fewestKills } from "./tally.ts";

type Offer = readonly OperationName[];

/** What `state list` prints about menus. */
interface Listed {
  readonly menus: readonly {
    readonly key: string;
    readonly current: { readonly menu: Playing } | null;
    readonly pending: { readonly menu: Playing; readonly action: string } | null;
  }[];
  readonly follow_ups: readonly { readonly menu: Playing }[];
}

interface Playing {
  readonly name: string;
  readonly recording: { readonly id: string };
}

const token = "recordings-token-5f2a";
const texts = ["For sales, press 1.", "For sales, press 1 now.", "Press 1 for sales."] as const;
const aliases = ["welcome", "night"] as const;
const offers: readonly [Offer, ...Offer[]] = [
  ["record"],
  ["list", "record"],
  ["list", "update", "record", "recordings"],
];

/** Random texts, faults and kills of applies that make recordings. */
export async function searchRecordings({
  seed,
  seconds,
  only,
  startServer,
}: Search): Promise<Searched> {
  const tally = new Tally();
  const found: Found[] = [];
  const server = await startServer?.();
  const deadline = performance.now() + seconds * 1000;
  for (let round = only ?? 0; found.length === 0; round += 1) {
    const isEnough = performance.now() > deadline && tally.kills >= fewestKills;
    if (isEnough || (only !== undefined && round > only)) break;
    const remote = await server?.store();
    await remote?.open();
    const stage = new RecordingStage(new Random(seedOf(seed, round)), tally, remote);
    await stage.play().catch((error: unknown) => {
      if (!(error instanceof Finding)) throw error;
      found.push({
        what: error.message,
        round: `${round}`,
        steps: stage.steps,
        folder: stage.root,
      });
    });
    await remote?.close();
    tally.rounds += 1;
  }
  server?.close();
  return { tally, found };
}

/** A project, its service, and a person who resolves what is unknown by what the service has. */
class RecordingStage {
  readonly root = mkdtempSync(join(tmpdir(), "ivrctl-recordings-"));
  readonly steps: string[] = [];
  readonly #random: Random;
  readonly #tally: Tally;
  readonly #store: StoreUnderTest;
  readonly #operations: readonly OperationName[];
  readonly #said = new Map<string, string>();
  /** Every text that an alias has had. */
  readonly #ever = new Set<string>();
  #url = "";

  constructor(random: Random, tally: Tally, store: StoreUnderTest = inFiles) {
    this.#random = random;
    this.#store = store;
    this.#tally = tally;
    this.#operations = random.pick(offers);
    for (const alias of aliases) this.#say(alias);
  }

  async play(): Promise<void> {
    const random = this.#random;
    mkdirSync(join(this.root, "ivrs"));
    this.#store.prepare?.(this.root);
    for (const [at, name] of ["a", "b", "c"].entries()) {
      const menu = `name: ${name}\nrecording: ${aliases[at % 2]}\noptions: { 1: Asha Rao }\n`;
      writeFileSync(join(this.root, `ivrs/${name}.yaml`), menu);
    }
    await this.#with([], async () => {
      this.#run(await this.#command(["state", "init"]));
    });
    for (let step = random.between(3, 7); step > 0; step -= 1) {
      if (random.chance(0.4)) this.#say(random.pick(aliases));
      const isKilled = random.chance(0.5);
      const mode = random.pick(deaths);
      const disturbance = isKilled ? { mode, at: random.between(1, 14) } : undefined;
      await this.#with(this.#faults(), async () => {
        const ran = await this.#command(["apply", "--auto-approve"], disturbance);
        if (ran.signal !== null) count(this.#tally.ended, mode);
      });
      await this.#with([], async () => this.#check());
      if (random.chance(0.2)) await this.#with([], async () => this.#resolve());
    }
    await this.#settle();
  }

  /** Without faults, and when everything is resolved, every menu gets the recording of its text. */
  async #settle(): Promise<void> {
    await this.#with([], async () => {
      let last: Ran | undefined;
      for (let times = 0; times < 4; times += 1) {
        await this.#resolve();
        last = await this.#command(["apply", "--auto-approve"]);
        await this.#check();
      }
      if (last?.exit !== 0)
        throw new Finding(`(5) the apply does not end${last ? shownOf(last) : ""}`);
    });
    const { menus, recordings } = this.#account();
    const newest = new Map(menus.map(({ payload }) => [payload.name, payload]));
    for (const [at, name] of ["a", "b", "c"].entries()) {
      const { id } = destinationParts(newest.get(name)?.recording ?? "");
      const plays = recordings.find((one) => one.id === id)?.data;
      const says = this.#said.get(aliases[at % 2] ?? "");
      if (plays !== says) throw new Finding(`(9) ${name} plays “${plays}”, and not “${says}”`);
    }
  }

  #say(alias: string): void {
    const text = this.#random.pick(texts);
    this.#said.set(alias, text);
    this.#ever.add(`${alias} ${text}`);
    this.steps.push(`${alias} says “${text}”`);
  }

  #faults(): FaultRule[] {
    const random = this.#random;
    const kinds: readonly (() => Partial<FaultRule>)[] = [
      () => ({ kind: "cut", created: true, times: 1 }),
      () => ({ kind: "cut", created: false, times: 1 }),
      () => ({ kind: "status", status: random.pick([422, 429, 500, 503]), times: 2 }),
      () => ({
        kind: "reset",
        when: random.pick(["before", "after", "answer"] as const),
        times: 1,
      }),
      () => ({ kind: "garbage", created: true, times: 1 }),
    ];
    const on = ["record", "record", "record", "batch", "create", "update", "list"] as const;
    return Array.from({ length: random.between(1, 4) }, () => {
      const kind = random.pick(kinds)?.() ?? {};
      return { kind: "cut", on: random.pick(on), rate: 0.7, ...kind };
    });
  }

  /** Runs something while the service has these faults. */
  async #with(faults: readonly FaultRule[], act: () => Promise<void>): Promise<void> {
    const sandbox = await startSandbox({
      clock,
      dataFile: this.#data,
      token,
      operations: this.#operations,
      faults: faultsBy(faults, clock, this.#random.between(1, 1e6)),
      onRequest: ({ fault }) => {
        for (const hit of fault?.split(", ") ?? []) count(this.#tally.faults, hit);
      },
    });
    this.#url = sandbox.url;
    try {
      await act();
    } finally {
      await sandbox.close();
    }
  }

  get #data(): string {
    return join(this.root, "service.jsonl");
  }

  #account(): Account {
    appendFileSync(this.#data, "");
    const account = new Account();
    for (const line of readFileSync(this.#data, "utf8").split("\n")) {
      if (line !== "") account.apply(AccountEvent.parse(JSON.parse(line)));
    }
    return account;
  }

  #configure(): void {
    const path = join(this.root, "ivrctl.yaml");
    let id = "";
    try {
      id = /[{,] id: ([\w-]+)/.exec(readFileSync(path, "utf8"))?.[1] ?? "";
    } catch {
      // The first command writes it.
    }
    const recordings = [...this.#said].map(([alias, says]) => `  ${alias}: { says: "${says}" }`);
    const lines = [
      "version: 1",
      "default_environment: e",
      "speech: { type: text, voice: female }",
      "recording_timeout: 5",
      "recordings:",
      ...recordings,
      "environments:",
      "  e:",
      `    service: { base_url: "${this.#url}", token: "\${T}", timeout: 5 }`,
      `    operations: [${this.#operations.join(", ")}]`,
      `    state: { ${id === "" ? "" : `id: ${id}, `}${this.#store.settings} }`,
      "defaults:",
      "  description: A menu",
      '  invalid: { retries: 2, recording: "11", destination: Front Desk }',
      '  timeout: { wait: 5, retries: 2, retry_recording: "12", recording: "13", destination: Front Desk }',
    ];
    writeFileSync(path, `${lines.join("\n")}\n`);
  }

  async #command(args: readonly string[], disturbance?: object): Promise<Ran> {
    this.#configure();
    // The address of the service differs each time, and the state is about one account.
    const isBound = args[0] !== "state";
    const rebind = ["state", "rebind", "--to", this.#url, "--evidence", "the same account"];
    const { variables } = this.#store;
    if (isBound) await runOnce(rebind, { cwd: this.root, token, variables });
    const ran = await runOnce(args, { cwd: this.root, token, variables, disturbance });
    this.#tally.commands += 1;
    this.steps.push(`    ${args.join(" ")} → ${ran.signal ?? ran.exit}`);
    return this.#run(ran);
  }

  #run(ran: Ran): Ran {
    const said = ran.stdout + ran.stderr;
    if (/this is a bug|^\s+at .+:\d+:\d+\)?$/m.test(said))
      throw new Finding(`(5) the command crashed${shownOf(ran)}`);
    if (said.includes(token)) throw new Finding(`(7) the output contains the token${shownOf(ran)}`);
    return ran;
  }

  async #recorded(): Promise<NonNullable<StateListContent["recordings"]>> {
    const ran = await this.#command(["state", "list", "--format", "json"]);
    const { recordings = [] } = JSON.parse(ran.stdout) as StateListContent;
    return recordings;
  }

  /** Compares what the service has with the state, and with the texts. */
  async #check(): Promise<void> {
    const { recordings, events } = this.#account();
    const all = recordings.map(({ audio_name: name }) => name);
    const twice = all.find((name, at) => all.indexOf(name) !== at);
    const names = new Set(all);
    if (twice !== undefined) throw new Finding(`(1) the recording ${twice} was made twice`);
    const recorded = await this.#recorded();
    for (const { id, audio_name: name, data } of recordings) {
      const record = recorded.find((one) => one.name === name);
      if (record === undefined) throw new Finding(`(2) the state does not know ${name}`);
      if ((record.identified?.id ?? id) !== id)
        throw new Finding(`(2) ${name} has the id ${record.identified?.id}, and not ${id}`);
      if (record.make.data !== data) throw new Finding(`(9) ${name} was sent with another text`);
    }
    const lost = recorded.find(({ name, status }) => status !== "unknown" && !names.has(name));
    if (lost !== undefined) throw new Finding(`(2) ${lost.name} is recorded, but was not made`);
    for (const event of events) {
      if (!("payload" in event)) continue;
      const { id } = destinationParts(event.payload.recording);
      const played = recordings.find((one) => one.id === id);
      const [alias] = played?.audio_name.split("-") ?? [];
      if (!played || !this.#ever.has(`${alias} ${played.data}`))
        throw new Finding(`(9) a menu was sent with ${event.payload.recording}`);
    }
  }

  /** A person records what the service has. */
  async #resolve(): Promise<void> {
    const { recordings } = this.#account();
    for (const { name, status } of await this.#recorded()) {
      if (status !== "unknown") continue;
      const made = recordings.find(({ audio_name: own }) => own === name);
      const fate = made
        ? [`${name}=${made.id}`, "--created", "--evidence", "console"]
        : [name, "--absent"];
      await this.#command(["state", "resolve", ...fate]);
    }
    const list = await this.#command(["state", "list", "--format", "json"]);
    const { menus, follow_ups: old } = JSON.parse(list.stdout) as Listed;
    const known = [...menus.flatMap(({ current }) => current ?? []), ...old].map(
      ({ menu }) => menu,
    );
    for (const { key, pending } of menus) {
      if (pending === null) continue;
      const { name, recording } = pending.menu;
      const there = this.#account().menus.filter(
        ({ payload }) =>
          payload.name === name && destinationParts(payload.recording).id === recording.id,
      );
      const alike = known.filter((one) => one.name === name && one.recording.id === recording.id);
      // An update is done if the menu has the new content.
      const isThere = pending.action === "update" ? there.length > 0 : there.length > alike.length;
      await this.#command(["state", "resolve", key, isThere ? "--created" : "--absent"]);
    }
  }
}
