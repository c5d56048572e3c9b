import type { Faults } from "./faults.ts";
import type { Menus } from "./menus.ts";
import type { Random } from "./random.ts";
import { type PlanJson, madeOnConsole } from "./checks.ts";
import { type Applying, type Stage } from "./stage.ts";
import { count } from "./tally.ts";

/** What people do in a round: on the console, with commands about the state, and in the files. */
export class People {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #menus: Menus;
  readonly #faults: Faults;

  constructor(stage: Stage, random: Random, menus: Menus, faults: Faults) {
    this.#stage = stage;
    this.#random = random;
    this.#menus = menus;
    this.#faults = faults;
  }

  /** Somebody changes the account without ivrctl. */
  useConsole(): void {
    const [stage, random] = [this.#stage, this.#random];
    const record = random.pick(stage.records);
    if (record === undefined) return;
    const { number, payload } = record;
    const wanted = this.#menus.nameWithout(stage.journal().current);
    const open = [...this.#openNames(), ...(wanted === undefined ? [] : [wanted])];
    const what = random.choose({
      change: 8,
      delete: 0.4,
      create: open.length > 0 ? 5 : 1,
      webhook: stage.can("update") ? 1 : 0,
      number: stage.can("numbers") ? 5 : 0,
    });
    count(stage.tally.disturbances, `console: ${what}`);
    const description = `Console ${stage.tally.commands}`;
    switch (what) {
      case "delete":
        stage.onConsole({ delete: number });
        return;
      case "change":
        stage.onConsole({ update: number, payload: { ...payload, description } });
        return;
      case "create": {
        // A second menu with the name of one that ivrctl has created, may have created, or is to create.
        const name = random.pick(open) ?? payload.name;
        const leads = payload.destination.map((to) =>
          random.chance(0.3) ? to : payload.invalid_destination,
        );
        const made = { ...payload, name, destination: leads, description: madeOnConsole };
        stage.onConsole({ payload: made });
        return;
      }
      case "number": {
        const destination = random.pick([`ivr||${number}`, `ivr||${number}`, "hangup||1"]);
        const { id } = random.pick(stage.numbers) ?? { id: "" };
        stage.onConsole({ number: id, binding: { destination } });
        return;
      }
      case "webhook": {
        const option = String(payload.option[0]);
        stage.onConsole({ webhook: { menu: number, option, id: "7" } });
        return;
      }
    }
  }

  /** The names of menus whose creates have an unknown outcome. */
  #openNames(): readonly string[] {
    const { pending } = this.#stage.journal();
    const open = new Set([...pending.values()].map(({ seq }) => seq));
    return this.#stage.recorder.writes.flatMap(({ operation, intent, name }) =>
      operation === "create" && open.has(intent ?? 0) ? name : [],
    );
  }

  /** Sometimes somebody changes menus after the command has read a list. */
  interfere(): void {
    if (!this.#stage.can("list") || !this.#random.chance(0.5)) return;
    let left = this.#random.pick([1, 1, 1, 2, 2, 3, 4]);
    this.#stage.recorder.listed = () => {
      left -= 1;
      if (left === 0) this.#useConsoleOften();
    };
  }

  /** Sometimes somebody changes menus while a request is on its way. */
  meddle(): void {
    if (this.#random.chance(0.5)) this.#useConsoleOften();
  }

  #useConsoleOften(): void {
    for (let times = 3; times > 0; times -= 1) this.useConsole();
  }

  /** Does what a plan asks for, so that the round can continue. Returns whether there was something to do. */
  async fix({ diagnostics, matters, changes }: PlanJson): Promise<boolean> {
    for (const { kind, fix } of matters)
      if (kind === "same-name") await this.#record(fix.join("\n"));
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    for (const { code, file, hint = "" } of errors) {
      if (!file.startsWith("ivrs/")) continue;
      const key = file.replace(/^ivrs\/|\.yaml$/g, "");
      this.#stage.steps.push(`fix ${code}: ${this.#fixFile(code, key, hint)}`);
    }
    const isMissing =
      errors.some(({ code }) => code === "IVR635") ||
      changes.some(({ action }) => action === "missing");
    if (isMissing && this.#random.chance(0.7)) await this.recreateMissing();
    if (isMissing) await this.#endGone();
    if (errors.some(({ code }) => code === "IVR640")) await this.#leadElsewhere();
    return isMissing || errors.length > 0;
  }

  /** Sometimes records the menu of the same name that somebody made on the console, as the plan proposes. */
  async #record(hint: string): Promise<void> {
    const [, proposed, id] = /state resolve (\S+=(\d+))/.exec(hint) ?? [];
    const found = this.#stage.records.find(({ number }) => String(number) === id);
    if (proposed === undefined || found?.payload.description !== madeOnConsole) return;
    if (this.#random.chance(0.6))
      await this.#stage.command([
        "state",
        "resolve",
        proposed,
        "--created",
        "--evidence",
        "looked",
      ]);
  }

  #fixFile(code: string, key: string, hint: string): string {
    if (code === "IVR667") return this.#menus.withoutNumbers(key);
    if (code === "IVR619") return this.#menus.unlink(key);
    const old = /moved_from: ([\w/.-]*\w)/.exec(hint)?.[1];
    return this.#menus.fix(key, old);
  }

  /** Something points to a menu without a file: a phone number, the menu of a follow-up, or one made on the console. */
  async #leadElsewhere(): Promise<void> {
    const stage = this.#stage;
    const { current, followUps } = stage.journal();
    const ids = new Set(
      [...current].flatMap(([key, { id }]) => (this.#menus.keys.includes(key) ? [] : id)),
    );
    for (const { did, destination } of stage.numbers) {
      if (ids.has(destination?.replace("ivr||", "")))
        stage.steps.push(`fix: ${this.#menus.moveNumber(did)}`);
    }
    for (const { number, payload } of stage.records) {
      if (payload.description === madeOnConsole) stage.onConsole({ delete: number });
    }
    const old = [...followUps].flatMap(([name, { menu }]) => (menu.id === undefined ? [] : name));
    if (old.length > 0) await this.#deleteOld(old);
  }

  /** Marks follow-ups as done whose menus are gone. Nothing is deleted while one is open. */
  async #endGone(): Promise<void> {
    const stage = this.#stage;
    const there = new Set(stage.records.map(({ number }) => String(number)));
    const gone = [...stage.journal().followUps].flatMap(
      ([
        name,
        {
          menu: { id },
        },
      ]) => (id === undefined || there.has(id) ? [] : name),
    );
    if (gone.length > 0) await stage.command(["state", "done", ...gone, "--evidence", "gone"]);
  }

  async #deleteOld(followUps: readonly string[], about: Applying = {}): Promise<void> {
    const targets = followUps.flatMap((id) => ["--target", `old:${id}`]);
    const words = ["apply", "--auto-approve", "--allow=delete", ...targets];
    await this.#stage.command(words, about);
  }

  /** Creates the menus again that are gone. Nothing is deleted while a menu is missing. */
  async recreateMissing(): Promise<void> {
    const stage = this.#stage;
    const { permissions } = stage;
    stage.permissions = new Set(
      [...permissions].filter((permission) => permission !== "--allow=delete"),
    );
    const { changes } = await stage.plan();
    const missing = changes.flatMap(({ key, action }) => (action === "missing" ? key : []));
    const targets = missing.flatMap((key) => ["--target", key]);
    if (missing.length > 0)
      await stage.apply({
        args: ["--auto-approve", "--allow=recreate", ...targets],
        scope: (key) => missing.includes(key),
      });
    stage.permissions = permissions;
  }

  /** Runs a command of a person about the state. */
  async act(): Promise<void> {
    const [stage, random] = [this.#stage, this.#random];
    const journal = stage.journal();
    const pending = random.shuffle([...journal.pending.keys()]);
    const [key] = random.shuffle([...journal.current.keys()]);
    const followUps = random.shuffle([...journal.followUps.keys()]);
    const numbers = stage.can("numbers") ? [] : random.shuffle([...this.#menus.bound.keys()]);
    const what = random.choose({
      resolve: pending.length > 0 ? 8 : 0,
      done: followUps.length > 0 ? 2 : 0,
      deleteOld: stage.can("delete") && followUps.length > 0 ? 8 : 0,
      forget: key === undefined ? 0 : 0.7,
      mv: key === undefined ? 0 : 0.7,
      point: numbers.length > 0 ? 8 : 0,
      look: 0.5,
    });
    stage.steps.push(`a person: ${what}`);
    switch (what) {
      case "resolve":
        await this.resolve(pending.slice(0, random.between(1, pending.length)), 0.15);
        break;
      case "done":
        await stage.command(
          ["state", "done", ...followUps.slice(0, random.between(1, 2)), "--evidence", "taken out"],
          this.#faults.atWrite(),
        );
        break;
      case "deleteOld": {
        this.#faults.expect(["delete"]);
        await this.#faults.startFaults();
        this.interfere();
        await this.#deleteOld(followUps.slice(0, random.between(1, 3)), this.#faults.disturbed());
        break;
      }
      case "forget":
        await stage.command(["state", "rm", key ?? "", "--auto-approve"], this.#faults.atWrite());
        break;
      case "mv":
        await stage.command(["state", "mv", key ?? "", `moved/${key}`], this.#faults.atWrite());
        break;
      case "point": {
        const some = random.chance(0.3)
          ? ["--all", "--auto-approve"]
          : numbers.slice(0, random.between(1, numbers.length));
        await stage.command(["state", "done", ...some], this.#faults.atWrite());
        break;
      }
      case "look":
        for (const words of [
          ["list"],
          ["history"],
          ...(key === undefined ? [] : [["show", key]]),
        ]) {
          const { exit, stdout } = await stage.command(["state", ...words, "--format", "json"]);
          if (exit === 0) JSON.parse(stdout);
        }
        break;
    }
  }

  /** Resolves keys by what the service has, or wrongly with the probability `lie`. */
  async resolve(keys: readonly string[], lie: number): Promise<void> {
    const stage = this.#stage;
    const journal = stage.journal();
    const said = keys.map((key) => {
      const intent = journal.pending.get(key) ?? journal.others.get(key);
      const there = intent !== undefined && stage.isShown(intent);
      // Nobody could see the lie about a delete: a menu of which no record is left stays there.
      const lies = intent?.operation !== "delete" && this.#random.chance(lie);
      return { key, there: lies ? !there : there };
    });
    for (const answer of [true, false]) {
      const matching = said.filter(({ there }) => there === answer).map(({ key }) => key);
      if (matching.length === 0) continue;
      const flags = [answer ? "--created" : "--absent", "--by", "a person", "--evidence", "looked"];
      await stage.command(["state", "resolve", ...matching, ...flags]);
    }
  }
}
