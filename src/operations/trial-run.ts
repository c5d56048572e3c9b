import { isDeepStrictEqual } from "node:util";
import { rescueOutcomes, type Rescued } from "../deploy/apply/apply-and-rescue.ts";
import { type Writing, attempt } from "../deploy/apply/attempt.ts";
import { RecordingWait } from "../deploy/apply/recording-wait.ts";
import { recordingRequest } from "../deploy/apply/requests.ts";
import { Recorder } from "../deploy/apply/recorder.ts";
import type { Unrecorded } from "../deploy/apply/step-results.ts";
import type { LiveMenus } from "../deploy/listed/live-menus.ts";
import { readLists } from "../deploy/listed/read-account.ts";
import { identified, reconcile } from "../deploy/listed/reconcile.ts";
import type { Connection } from "../deploy/service/connect.ts";
import { encode } from "../deploy/service/encode-payload.ts";
import type { Permit } from "../deploy/service/exchange.ts";
import type { LiveMenu } from "../deploy/service/live-menu.ts";
import type { Attempted, Outcome } from "../deploy/service/outcome.ts";
import { addProblem, type LockedState } from "../deploy/state/access.ts";
import { beginEvents } from "../deploy/state/begin.ts";
import { madeRecording, withoutFollowUp } from "../deploy/state/view.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { changedFields } from "../model/menu-diff.ts";
import type { Menu, Recipe } from "../model/menu.ts";
import { type Environment, standardWire } from "../project/environment.ts";
import { fields } from "../schema/fields.ts";
import { recordingRef } from "../schema/ref.ts";
import type { FollowUp, Intent } from "../schema/state.ts";
import {
  type Finding,
  type TrialRowId,
  type TrialSetting,
  trialTable,
} from "../schema/trial-rows.ts";
import type { Interruption } from "../util/interruption.ts";
import type { ApplyProgress } from "../views/apply-progress.ts";
import { type TrialParts, trialMenu } from "./trial-menu.ts";

type Refused = Extract<Outcome, { kind: "failed" }>;

interface TrialOptions {
  readonly root: string;
  readonly locked: LockedState;
  readonly connection: Connection;
  readonly environment: Environment;
  readonly parts: TrialParts;
  readonly watcher: ApplyProgress;
  readonly interruption: Interruption;
  readonly diagnostics: Diagnostics;
  /** Shows a refusal, and asks whether to try once with a setting. */
  readonly askAgain: (message: string, setting: TrialSetting) => Promise<boolean>;
}

/** How often the list is read until it shows a change, and the milliseconds between. */
const mostLooks = 5;
const betweenLooks = 2000;

/**
 * Creates one menu and compares it with what the service lists. Each request takes the path of apply: its
 * intent is durable first, and only the outcome says what became of it. From its create until it is gone,
 * the menu is an unknown outcome or a follow-up of the state.
 */
export class TrialRun {
  readonly key: string;
  readonly findings = new Map<TrialRowId, Finding>();
  /** The name of the recording that the trial has asked for. */
  recording: string | undefined;
  readonly #options: TrialOptions;
  readonly #recorder: Recorder;
  /** The outcomes that could not be recorded. */
  readonly unrecorded: Unrecorded[] = [];
  readonly #name: string;
  #wire: Environment["wire"];
  #before: LiveMenus | undefined;
  #menu: Menu;

  constructor(options: TrialOptions) {
    const { locked, interruption, environment, connection } = options;
    const now = connection.clock.now();
    this.#options = options;
    this.#recorder = new Recorder(locked.session, interruption.halt);
    this.#wire = environment.wire;
    const at = now.toLocaleString("en-GB", { ...nameTime, timeZone: "UTC" }).replace(",", "");
    this.#name = `ivrctl trial ${at}, delete me`;
    this.key = `ivrctl-trial-${now.toISOString().replaceAll(/\D/g, "").slice(0, 14)}`;
    this.#menu = this.#content;
  }

  /** The menu while it exists on the service. */
  get followUp(): FollowUp | undefined {
    const record = withoutFollowUp(this.#options.locked.session.state, this.key);
    return record?.kind === "old" ? record : undefined;
  }

  get #content(): Menu {
    return trialMenu(this.#name, this.key, this.#options.parts, this.#wire);
  }

  /** Whether nobody knows if the menu exists, if it was changed or deleted, or if the recording exists. */
  get isUnknown(): boolean {
    const { state } = this.#options.locked.session;
    const made = madeRecording(state, this.recording ?? "");
    return [withoutFollowUp(state, this.key), made].some((one) => one?.pending != null);
  }

  /** Creates the menu, and looks at it. Returns the answer if the service refused it. */
  async create(): Promise<Refused | undefined> {
    const { locked, connection } = this.#options;
    const begin = beginEvents(locked.session.state, {
      environment: connection.environment,
      address: connection.identity,
    });
    if (begin.length > 0 && !(await this.#recorder.record(...begin))) return undefined;
    this.#before = await this.#list();
    const isOffered = connection.operations.has("list");
    if (this.#before) {
      const path = ["operations"];
      const setting = { path, value: ["list", ...connection.operations] };
      this.#found("list", isOffered, "", isOffered ? undefined : setting);
    } else if (isOffered) this.#found("list", false);
    const refusal = await this.#createOnce(new Set());
    if (refusal !== undefined || this.#recorder.halt.aborted) return refusal;
    await this.#look();
    return undefined;
  }

  /** Makes a recording from a text, and waits for its id. It stays on the service. */
  async makeRecording(name: string, make: Recipe): Promise<void> {
    const { connection, environment, interruption, locked, watcher } = this.#options;
    const { clock, service } = connection;
    this.recording = name;
    const request = recordingRequest(name, make, { service, stop: interruption.stop });
    const outcome = await this.#attempt(name, request);
    if (outcome?.kind === "failed") this.#found("text-type", false, outcome.message);
    if (outcome?.kind !== "done") return;
    const { recordingTimeout } = environment;
    const options = { clock, service, session: locked.session, watcher, recordingTimeout };
    const waiting = new RecordingWait(options, this.#recorder, () => {});
    const ref = recordingRef(name);
    const isReady = await waiting.wait(new Set([ref]));
    const { said } = waiting;
    const why =
      outcome.batch === undefined
        ? "the answer has no batch_id"
        : `it is not ready: ${said.get(ref) ?? ""}`;
    this.#found("text-type", isReady, isReady ? "" : why);
  }

  /** Changes every field that a create leaves open, and looks again. */
  async update(): Promise<void> {
    const { followUp } = this;
    const id = followUp?.current.identified?.id;
    const { connection, parts } = this.#options;
    if (!followUp || id === undefined || !connection.operations.has("update")) return;
    const final = { id: parts.recordings.at(-1) ?? parts.recordings[0] };
    const description = `Changed by ${this.key}. Nobody reaches it.`;
    const menu = { ...this.#menu, description, "invalid.final_recording": final };
    const outcome = await this.#send({ action: "update", follow_up: followUp.id, menu }, (permit) =>
      connection.service.updateMenu(id, encode(menu, this.#wire), this.#request(permit)),
    );
    if (outcome?.kind === "failed") this.#found("updates", false, outcome.message);
    if (outcome?.kind !== "done") return;
    this.#menu = menu;
    const isShown = await this.#poll(
      (live) => live.menus.find((one) => one.id === id)?.fields.description === description,
    );
    this.#found("updates", isShown !== undefined);
  }

  /** Deletes the menu, unless something points to it, and looks whether it is gone. */
  async delete(): Promise<void> {
    const { followUp } = this;
    const id = followUp?.current.identified?.id;
    const { connection, interruption } = this.#options;
    if (!followUp || id === undefined || !connection.operations.has("delete")) return;
    const lists = await readLists(connection, { wire: this.#wire }, interruption.halt);
    if (typeof lists === "string" || !lists.menus || !lists.numbers) return;
    const { menus, numbers } = lists;
    const isUsed =
      menus.isUncertain ||
      numbers.unreadable.length > 0 ||
      menus.menus.some((one) => menus.linksOf(one).includes(id)) ||
      numbers.numbers.some(({ destination }) => destination && menus.menuIn(destination) === id);
    if (isUsed) return this.#found("deletes", undefined, "something may point to the menu");
    const { menu } = followUp.current;
    const outcome = await this.#send({ action: "delete", follow_up: followUp.id, menu }, (permit) =>
      connection.service.deleteMenu(id, this.#request(permit)),
    );
    if (outcome?.kind === "failed") this.#found("deletes", false, outcome.message);
    if (outcome?.kind !== "done") return;
    const isGone = await this.#poll((live) => live.isAbsent(id));
    this.#found("deletes", isGone !== undefined, isGone ? "" : "the list still shows it");
  }

  /** Waits until everything is recorded. Writes what could not be recorded to a rescue file. */
  async end(): Promise<Rescued | undefined> {
    const { locked, diagnostics, root, connection } = this.#options;
    await this.#recorder.finish();
    this.#recorder.throwBug();
    const { problem } = this.#recorder;
    if (problem) addProblem(problem, locked.store.place, diagnostics);
    const at = connection.clock.now().toISOString();
    return rescueOutcomes(root, this.unrecorded, locked.session.state, locked.run, at);
  }

  /** Creates the menu, again with each setting that the user agrees to. Returns the last refusal. */
  async #createOnce(tried: Set<TrialRowId>): Promise<Refused | undefined> {
    const { connection, askAgain } = this.#options;
    const { service } = connection;
    const menu = this.#menu;
    const listed = this.#before?.named(menu.name);
    const outcome = await this.#send(
      { action: "create", menu, trial: true, ...(listed && { listed }) },
      (permit) => service.create(encode(menu, this.#wire), this.key, this.#stop, permit),
    );
    if (outcome?.kind === "done") {
      for (const [id, { help }] of trialTable) {
        if (!help || tried.has(id)) continue;
        const [, name] = help.path;
        const { [name]: value } = this.#wire;
        const isStandard = isDeepStrictEqual(value, standardWire[name]);
        this.#found(id, true, isStandard ? "" : `as the setting ${name} says`);
      }
    }
    if (outcome?.kind !== "failed") return undefined;
    const { status, message } = outcome;
    const row = trialTable.find(([id, { help }]) => !tried.has(id) && help?.refusal.test(message));
    const isAboutContent = status === 400 || status === 422 || status === 200;
    const [id, { help }] = row ?? [undefined, {}];
    if (id === undefined || help === undefined || !isAboutContent) return outcome;
    const setting = { path: help.path, value: help.value };
    if (this.#recorder.halt.aborted || !(await askAgain(message, setting))) return outcome;
    const [, name] = help.path;
    this.#wire = { ...this.#wire, [name]: help.value };
    this.#menu = this.#content;
    const refusal = await this.#createOnce(new Set([...tried, id]));
    if (refusal === undefined) this.#found(id, false, "", setting);
    return refusal;
  }

  /** Waits until the list shows the menu, records its id, and compares it. */
  async #look(): Promise<void> {
    const { locked } = this.#options;
    const isOld = (id: string) => this.#before?.has(id) !== false;
    const own = (live: LiveMenus) => {
      const fresh = live.menus.filter(({ id }) => !isOld(id));
      const named = fresh.filter(({ name }) => name === this.#name);
      const alike = fresh.filter(({ id, name }) => live.isSame(id, { ...this.#menu, name }));
      const [found, ...others] = named.length > 0 ? named : alike;
      return others.length === 0 ? found : undefined;
    };
    if (this.#before === undefined) return;
    const seen = await this.#poll((live) => own(live) !== undefined);
    if (seen === undefined) {
      if (this.followUp) this.#found("created", false, "the list does not show the menu");
      return;
    }
    const { live, looks } = seen;
    const menu = own(live);
    if (menu === undefined) return;
    const { events } = reconcile(locked.session.state, { menus: live });
    const proved = events.filter((event) => "key" in event && event.key === this.key);
    if (proved.length > 0) await this.#recorder.record(...proved);
    const { followUp } = this;
    if (followUp && !followUp.current.identified) {
      await this.#recorder.record(identified(this.key, followUp.id, menu.id, live));
    }
    this.#found("created", true);
    const seconds = ((looks - 1) * betweenLooks) / 1000;
    this.#found("late", true, looks === 1 ? "at once" : `${seconds} s`);
    this.#found("names", menu.name === this.#name, menu.name === this.#name ? "" : "another name");
    this.#compare(menu, live);
  }

  #compare(menu: LiveMenu, live: LiveMenus): void {
    const sent = this.#menu;
    const wanted = new Map(sent.options.map(({ key, destination }) => [key, destination]));
    const eidAt = (key: string) => {
      const to = wanted.get(key);
      return to?.kind === "agent" ? to.eid : undefined;
    };
    if (new Set([...wanted.keys()].map(eidAt)).size > 1) {
      const isPaired = menu.options.every(({ key, destination }) => destination.id === eidAt(key));
      this.#found("positions", isPaired);
    }
    const [type] = new Set(menu.options.map(({ destination }) => destination.type));
    const shown = this.#wire.read_kinds["extension"] ?? "extension";
    if (type !== undefined) {
      const path = ["wire", "read_kinds", "extension"];
      const isShown = type === shown;
      this.#found(
        "kinds",
        isShown,
        isShown ? "" : type,
        isShown ? undefined : { path, value: type },
      );
      this.#wire = { ...this.#wire, read_kinds: { ...this.#wire.read_kinds, extension: type } };
    }
    const [tries, retries] = [sent["timeout.retries"], sent["extra.timeout_retries"]];
    const listed = menu.fields.timeout_tries;
    const other = this.#wire.read_retries === "timeout_tries" ? retries : tries;
    if (listed === tries || listed === retries) {
      const value = listed === tries ? "timeout_tries" : "timeout_retries";
      const setting = { path: ["wire", "read_retries"], value };
      const isStandard = value === "timeout_tries" && listed !== other;
      this.#found(
        "retries",
        listed !== other,
        isStandard ? "" : value,
        listed === other ? setting : undefined,
      );
    }
    const view = live.see(menu.id, sent);
    if (view.kind !== "seen" || !("menu" in view.content)) return;
    const compared = changedFields(sent, view.content.menu).flatMap(({ before, after }) => {
      const row = (before ?? after)?.row;
      return row === undefined || ownRows.has(row) || fields[row].is === "destination" ? [] : row;
    });
    this.#found("fields", compared.length === 0, compared.join(", "));
  }

  /** Sends one request, as apply does. Returns its outcome; undefined if it was not sent or not recorded. */
  async #send(
    about: Pick<
      Extract<Intent, { menu: Menu }>,
      "action" | "menu" | "follow_up" | "trial" | "listed"
    >,
    send: (permit: Permit) => Promise<Attempted>,
  ): Promise<Outcome | undefined> {
    const { key } = this;
    return this.#attempt(key, {
      intents: ({ until }) => [{ kind: "intent", key, ...about, until }],
      send,
    });
  }

  async #attempt(
    key: string,
    request: Pick<Writing, "intents" | "send">,
  ): Promise<Outcome | undefined> {
    const { connection, watcher } = this.#options;
    const { clock, service, limits } = connection;
    let outcome: Outcome | undefined;
    await attempt(
      {
        key,
        ...request,
        finished: (final) => (outcome = final),
        unrecorded: (intent, final, attempts) =>
          this.unrecorded.push({ key, intent, outcome: final, attempts }),
      },
      this.#recorder,
      { clock, pace: service.pace, timeout: limits.timeout, watcher },
    );
    await this.#recorder.finish();
    return outcome;
  }

  #request(permit: Permit) {
    return { key: this.key, signal: this.#stop, permit };
  }

  get #stop(): AbortSignal {
    return this.#options.interruption.stop;
  }

  async #list(): Promise<LiveMenus | undefined> {
    const { connection, interruption } = this.#options;
    const lists = await readLists(connection, { wire: this.#wire }, interruption.halt, false);
    return typeof lists === "string" ? undefined : lists.menus;
  }

  /** Reads the list until it shows something, a few times. */
  async #poll(
    isShown: (live: LiveMenus) => boolean,
  ): Promise<{ readonly live: LiveMenus; readonly looks: number } | undefined> {
    const { connection, interruption } = this.#options;
    for (let looks = 1; looks <= mostLooks && !interruption.halt.aborted; looks += 1) {
      const live = await this.#list();
      if (live && isShown(live)) return { live, looks };
      const isLast = looks === mostLooks;
      if (!isLast) await connection.clock.sleep(betweenLooks, interruption.halt).catch(() => {});
    }
    return undefined;
  }

  #found(id: TrialRowId, isAsAssumed?: boolean, seen = "", setting?: TrialSetting): void {
    const verdict =
      isAsAssumed === undefined ? "not seen" : isAsAssumed ? "confirmed" : "different";
    this.findings.set(id, { verdict, ...(seen && { seen }), ...(setting && { setting }) });
  }
}

const nameTime = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const;

/** The fields that have a row of their own. */
const ownRows: ReadonlySet<string> = new Set([
  "name",
  "timeout.retries",
  "extra.timeout_retries",
  "invalid.final_recording",
]);
