import { randomUUID } from "node:crypto";
import { commandText, suggest } from "../../../util/suggest.ts";
import type { Gathering } from "../batches.ts";
import type { Operation, SessionLock } from "../operations.ts";
import type { Linked } from "../entries.ts";
import { holderOf, leftLockOf, lockLost, lockOf, takeLock } from "../lock.ts";
import { refuseMarked } from "../marks.ts";
import { briefWait, retry, defaultMaxWait, withoutWaiting } from "../retry.ts";
import { isDead, ownIdentity, whoami } from "../process-identity.ts";
import { type Change, type SessionBackend, WritingSession } from "../session.ts";
import {
  type Claim,
  type Extent,
  type Filling,
  type Lock,
  type Locked,
  type Note,
  type Reading,
  StateProblem,
  type StateStore,
  describeLock,
} from "../store.ts";
import { Branch, type BranchPlace, type Lost } from "./branch.ts";
import { BranchState, type Prepared, type Where } from "./branch-state.ts";
import type { Clock } from "../../../util/host.ts";

export interface GitPlace extends BranchPlace {
  /** The start of the branch's name. */
  readonly branch: string;
  /** When a push waits for more events. Tests do not wait. */
  readonly gathering?: Gathering;
  /** Milliseconds that a session waits for a remote that fails. */
  readonly maxWait?: number;
}

/** Pushes are slow, and forges limit them, so creates share a push. */
const sharedPushes: Gathering = { intents: 4, forMore: 250, forIntent: 1000 };

/** The most milliseconds between two looks at the lock of another run. */
const longestPause = 5000;

/** How often to try while the holder pushes at the same time. */
const mostTries = 100;

/** Milliseconds to try to release the lock. */
const releaseWait = 10_000;

/** Keeps a state as files on a branch of a git repository. A push is the compare-and-swap (see `Branch`). */
export class GitStore implements StateStore {
  readonly place: string;
  readonly advice = "Protect this branch against deletion and forced pushes.";
  readonly #branch: Branch;
  readonly #from: GitPlace;
  readonly #environment: string;

  constructor(from: GitPlace, environment: string) {
    this.#branch = new Branch({ ...from, branch: branchOf(from.branch, environment) });
    this.place = this.#branch.address;
    this.#from = from;
    this.#environment = environment;
  }

  async read(): Promise<Reading> {
    const { branchState, notes, doubt } = await this.#load("the state");
    refuseMarked(branchState, this.#environment, this.place);
    return { state: branchState.state, notes: [...doubt, ...notes] };
  }

  async history(): Promise<readonly Linked[]> {
    const { branchState, entries } = await this.#load("every entry");
    const { filling } = branchState;
    refuseMarked({ filling, movedTo: null }, this.#environment, this.place);
    return entries;
  }

  async holder(): Promise<Lock | null> {
    return holderOf((await this.#load("the state")).branchState.held, this.#from.host.machine);
  }

  async leftLock(): Promise<Lock | null> {
    return leftLockOf((await this.#load("the state")).branchState.held, this.#from.host.machine);
  }

  async unlock(id: string): Promise<Lock | null> {
    const by = whoami(this.#from.host.machine);
    for (let tries = 1; tries <= mostTries; tries += 1) {
      const { branchState } = await this.#load("the state");
      const { held } = branchState;
      if (held === null) return null;
      if (held.lock.id !== id) return lockOf(held.lock);
      if (
        await this.#push(branchState, `lock ${id} released by ${by}`, {
          kind: "released",
          by,
        })
      ) {
        return lockOf(held.lock);
      }
    }
    throw new StateProblem(
      "IVR604",
      `The run that holds the lock ${id} pushes all the time, and was faster each of ${mostTries} times.`,
      "It is not dead. Stop it, or run the command again.",
    );
  }

  async lock(claim: Claim): Promise<Locked> {
    const tried = await this.#take(claim);
    if (tried.kind === "held") return tried;
    const { branchState, held, over, notes } = tried.taken;
    const { host, maxWait = defaultMaxWait, gathering = sharedPushes } = this.#from;
    const backend = new GitBackend(this.#branch, branchState, held, gathering, host.clock);
    const session = new WritingSession(backend, branchState, {
      environment: this.#environment,
      claim,
      clock: host.clock,
      maxWait,
    });
    return {
      kind: "locked",
      session,
      notes: [...(over === null ? [] : [takenOver(over)]), ...notes],
    };
  }

  #take(claim: Claim) {
    const { clock, machine } = this.#from.host;
    const { signal, accepts = [] } = claim;
    return takeLock<Taken>(
      claim,
      clock,
      async () => {
        const { branchState, notes, doubt } = await this.#load("the state");
        signal?.throwIfAborted();
        refuseMarked(branchState, this.#environment, this.place, accepts);
        const [problem] = doubt;
        if (problem !== undefined && !accepts.includes("possibly-incomplete")) throw problem;
        const { held: before } = branchState;
        if (before !== null && !isDead(before.lock, machine)) {
          return { kind: "held", lock: lockOf(before.lock) } as const;
        }
        const { id, by, command } = claim;
        const lock = { id, by, command, since: clock.now().toISOString(), ...ownIdentity(machine) };
        const held: SessionLock = { session: randomUUID(), lock };
        const message = `locked by ${by} (${command})`;
        if (!(await this.#push(branchState, message, { kind: "locked", held }))) {
          return { kind: "again" } as const;
        }
        const over = before === null ? null : lockOf(before.lock);
        return { kind: "taken", taken: { branchState, held, over, notes } } as const;
      },
      longestPause,
    );
  }

  /** Makes one change. Returns false if the branch has moved. */
  async #push(branchState: BranchState, message: string, operation: Operation): Promise<boolean> {
    return this.#asking(async () => {
      const push = await preparePush(this.#branch, branchState, message, operation);
      return retry(push, briefWait(this.#from.host.clock));
    });
  }

  async #load(what: Extent) {
    return this.#asking(async () => {
      const { commit, lost } = await retry(
        () => this.#branch.look(),
        briefWait(this.#from.host.clock),
      );
      const where = await whereOf(this.#branch, this.#environment);
      const doubt = lost === null ? [] : [setBack(where, commit, lost)];
      const loaded = await BranchState.load(this.#branch, commit, where, what);
      return { ...loaded, doubt };
    });
  }

  async #asking<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw withoutWaiting(error);
    }
  }
}

/** Each environment has a branch, so that their pushes do not compete. Some names with dots are no branches. */
function branchOf(start: string, environment: string): string {
  return `${start}-${environment.replaceAll(".", "%2E")}`;
}

interface Taken {
  readonly branchState: BranchState;
  readonly held: SessionLock;
  /** The lock that was taken over from a dead process. */
  readonly over: Lock | null;
  readonly notes: readonly Note[];
}

async function whereOf(branch: Branch, environment: string): Promise<Where> {
  const folder = `${await branch.prefix()}${encodeURIComponent(environment)}/`;
  return { environment, folder, address: branch.address };
}

/** Makes the commit of a change. The result pushes it, and returns false if the branch has moved. */
async function preparePush(
  branch: Branch,
  branchState: BranchState,
  message: string,
  operation: Operation,
): Promise<() => Promise<boolean>> {
  const { commit: parent, where } = branchState;
  const prepared: Prepared = await branchState.prepare(branch, operation);
  const files = [...prepared.files].map(([name, blob]) => ({ name, blob }));
  const subject = `${where.environment}: ${message}`;
  const commit = await branch.commit(parent, where.folder, files, subject);
  return async () => {
    if ((await branch.push(commit, parent)) === "moved") return false;
    branchState.moveOn(prepared, commit);
    await branch.remember(commit);
    return true;
  };
}

function takenOver(lock: Lock): string {
  return `The lock of ${describeLock(lock)} was taken over: that process is dead.`;
}

/** The problem of a branch that lacks commits which this clone has seen. */
function setBack({ environment, address }: Where, commit: string | null, lost: Lost): StateProblem {
  const now =
    commit === null ? "was deleted" : `was set back or replaced (it is at ${short(commit)})`;
  return new StateProblem(
    "IVR629",
    `The branch ${address} ${now}. This clone has seen commit ${short(lost.commit)}, which is not part of it any more. Menus that were recorded there would be created again.`,
    lost.restore === null
      ? {
          words:
            "Other changes were made since, so the commit cannot be restored. Find the menus that are missing (docs/state.md, Restore a branch). Then accept the branch as it is:",
          argv: suggest("state accept", [], environment),
        }
      : `Restore the commit with the command below. If you are sure that the branch is right as it is, run \`${commandText(suggest("state accept", [], environment))}\` instead: ${lost.restore}`,
  );
}

function short(commit: string): string {
  return commit.slice(0, 12);
}

/** Pushes the changes of a session, one commit each. */
class GitBackend implements SessionBackend {
  readonly place: string;
  readonly gathering: Gathering;
  readonly #branch: Branch;
  readonly #branchState: BranchState;
  readonly #held: SessionLock;
  readonly #clock: Clock;

  constructor(
    branch: Branch,
    branchState: BranchState,
    held: SessionLock,
    gathering: Gathering,
    clock: Clock,
  ) {
    this.#clock = clock;
    this.place = branch.address;
    this.gathering = gathering;
    this.#branch = branch;
    this.#branchState = branchState;
    this.#held = held;
  }

  append(linked: readonly Linked[]): Change {
    return this.#change(summary(linked), { kind: "entries", linked });
  }

  async check(): Promise<void> {
    if ((await this.#branch.remoteTip()) !== this.#branchState.commit) throw await this.#lostLock();
  }

  fill(filling: Filling): Change {
    return this.#change(`filling from ${filling.source}`, { kind: "filling", filling });
  }

  stage(linked: readonly Linked[]): Change {
    return this.#change(`${linked.length} events copied`, { kind: "staged", linked });
  }

  async staged(): Promise<readonly Linked[]> {
    await this.check();
    const { commit, where } = this.#branchState;
    const { branchState } = await BranchState.load(this.#branch, commit, where, "the state");
    return branchState.staged;
  }

  seal(filling: Filling): Change {
    return this.#change("all events copied", { kind: "sealed", filling });
  }

  open(): Change {
    return this.#change("filled", { kind: "filled" });
  }

  discard(): Change {
    return this.#change("the copied events discarded", { kind: "discarded" });
  }

  relocate(to: string): Change {
    return this.#change(`moved to ${to}`, { kind: "moved", to });
  }

  async close(hasFailed: boolean): Promise<void> {
    try {
      await retry(() => this.#release(), {
        clock: this.#clock,
        maxWait: hasFailed ? 0 : releaseWait,
      });
    } catch {
      // The next run on this machine sees that the holder is dead. On another machine, a person releases the lock.
    }
  }

  /** A push that was given up may have arrived since, so the branch is read again if it has moved. */
  async #release(): Promise<void> {
    let branchState = this.#branchState;
    while (branchState.held?.session === this.#held.session) {
      const push = await preparePush(this.#branch, branchState, "lock released", {
        kind: "released",
        by: null,
      });
      if (await push()) return;
      const { commit, lost } = await this.#branch.look();
      // A branch that was set back has to be restored. Nothing may be added to what is left of it.
      if (lost !== null) return;
      const { where } = branchState;
      ({ branchState } = await BranchState.load(this.#branch, commit, where, "the state"));
    }
  }

  #change(message: string, operation: Operation): Change {
    let preparing: Promise<() => Promise<boolean>> | undefined;
    return async () => {
      preparing ??= preparePush(this.#branch, this.#branchState, message, operation);
      const push = await preparing;
      if (!(await push())) throw await this.#lostLock();
    };
  }

  /** Says why the branch is no longer where this session left it. */
  async #lostLock(): Promise<StateProblem> {
    const { where } = this.#branchState;
    const { commit, lost } = await this.#branch.look();
    if (lost !== null || commit === null) {
      const how = commit === null ? "deleted" : "set back or replaced";
      return new StateProblem(
        "IVR601",
        `The branch ${where.address} was ${how} while this run held the lock, so nothing more is recorded or sent.`,
        `When the branch is restored, protect it against deletion and forced pushes. ${lost?.restore ? `To restore it, run: ${lost.restore}` : "docs/state.md explains how to restore it (Restore a branch)."}`,
      );
    }
    const { branchState } = await BranchState.load(this.#branch, commit, where, "the state");
    return lockLost(` of ${where.environment}`, where.address, branchState.held?.lock ?? null);
  }
}

/** Describes events for the log of the branch: "3 menus created, 1 unknown (run 123)". */
function summary(linked: readonly Linked[]): string {
  const counts = new Map<string, number>();
  for (const { entry } of linked) {
    counts.set(entry.event.kind, (counts.get(entry.event.kind) ?? 0) + 1);
  }
  const parts = [...counts].map(([kind, count]) => {
    if (kind === "begun") return "new state";
    if (kind === "rebound") return "new address";
    if (kind === "done") return count === 1 ? "1 follow-up done" : `${count} follow-ups done`;
    const menus = count === 1 ? "1 menu" : `${count} menus`;
    if (kind === "intent") return `creating ${menus}`;
    if (kind === "created") return `${menus} created`;
    if (kind === "failed") return `${count} not created`;
    return `${count} ${kind.replaceAll("-", " ")}`;
  });
  const runs = new Set(linked.map(({ entry }) => entry.run));
  return `${parts.join(", ")} (run ${[...runs].join(", ")})`;
}
