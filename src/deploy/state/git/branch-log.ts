import type { Hint } from "../../../util/suggest.ts";
import { type CommitLog, type KeptSnapshot, damaged, refuseGap } from "../log/commit-log.ts";
import type { Seen } from "../log/witness.ts";
import { blockSum } from "../log/block.ts";
import { StoreBusy } from "../retry.ts";
import { StateProblem } from "../lock.ts";
import { configName } from "../../../project/files.ts";
import { type BranchPlace, type FileEntry, StateBranch } from "./branch.ts";

/*
 * The files of a state on the branch of its environment, in the folder ENVIRONMENT/ID:
 *
 *     log/00001/00001017.jsonl    block 1017, with the others of its thousand
 *     snapshot-00001017.json      the state after it
 */
const blockPath = /^log\/\d{5}\/(\d{8})\.jsonl$/;
/** The same in any folder of the branch, because projects can share it. */
const anyBlockPath = /(?:^|\/)log\/\d{5}\/\d{8}\.jsonl$/;
const snapshotPath = /^snapshot-(\d{8})\.json$/;

/** The branch at one of its commits. */
interface BranchContent {
  readonly commit: string | null;
  /** The ids of the blocks' contents, by number. */
  readonly blocks: ReadonlyMap<number, string>;
  /** The newest last. */
  readonly snapshots: readonly { readonly number: number; readonly blob: string }[];
}

/** A log on a branch of a git repository. A push that names the commit it expects is the condition (see `Branch`). */
export class BranchLog implements CommitLog {
  readonly place: string;
  /** Pushes are slow, and forges limit them, so an outcome and the next intents share a push. */
  readonly pause: number = 250;
  readonly keepsAll = true;
  readonly #branch: StateBranch;
  readonly #environment: string;
  readonly #id: string | undefined;
  #known: BranchContent | undefined;
  /** The folder of a project that was moved in its repository since its state began. */
  #before: string | undefined;
  /** Whether `snapshot` has just asked the remote. A commit has the blocks of its snapshot. */
  #isFresh = false;

  constructor(from: BranchPlace, environment: string, id?: string) {
    // Each environment has a branch, so that pushes do not compete. Some names with dots are no branches.
    const branch = `${from.branch}-${environment.replaceAll(".", "%2E")}`;
    this.#branch = new StateBranch({ ...from, branch });
    this.#environment = environment;
    this.#id = id;
    this.place = this.#branch.address;
  }

  name(n: number): string {
    return `${this.#own}${pathOf(n)} on ${this.place}`;
  }

  get advice(): string {
    const protect = "Protect this branch against deletion and forced pushes.";
    if (this.#branch.isWitnessed) return protect;
    return `${protect} The server has no ref ${this.#branch.newestRef} for its newest commit, so a new machine cannot notice that the branch was set back. The next apply pushes this ref, if the account may push to refs/ivrctl/*.`;
  }

  async restoreHint(seen?: Seen): Promise<Hint> {
    const commit = await this.#branch.seen();
    const isLost = commit !== null && seen !== undefined && (await this.#lacks(commit, seen));
    if (!isLost || !(await this.#branch.isComplete()))
      return `Set the branch back to the last commit that ivrctl made: ${page}.`;
    const words =
      "A different machine may have seen more than this clone. Restore the branch from the clone that applied last. If it is this one, run:";
    return this.#restore(commit, words);
  }

  /** Whether this commit has the block that this machine remembers, and the branch lost one of its blocks. */
  async #lacks(commit: string, { number, sum }: Seen): Promise<boolean> {
    const folder = await this.#folder();
    const files = await this.#branch.files(commit, folder);
    const blobs = files.flatMap(({ name, blob }) => (name === pathOf(number) ? [blob] : []));
    const [block] = await this.#branch.read(blobs);
    if (block === undefined || blockSum(block) !== sum) return false;
    return (await this.#branch.lostSince(commit)).some((path) => anyBlockPath.test(path));
  }

  /** Says how to bring back a commit that the branch lacks, unless other runs have added blocks since. */
  async #restore(commit: string, words: string): Promise<Hint> {
    const kept = await this.#branch.files(commit, "");
    const blobs = new Map(kept.map(({ name, blob }) => [name, blob]));
    const isNew = (one: { name: string; blob: string }) =>
      anyBlockPath.test(one.name) && blobs.get(one.name) !== one.blob;
    if ((await this.#branch.addedSince(commit)).some(isNew)) return changedSince;
    return { words, command: await this.#branch.restoreCommand(commit) };
  }

  async accept(): Promise<void> {
    const commit = this.#known?.commit ?? null;
    const seen = await this.#branch.seen();
    if (commit === null || commit === seen) return;
    const lost = seen === null ? [] : await this.#branch.lostSince(seen);
    const own = await this.#folder();
    // Other projects can share the branch. The clone may be the last one that has their blocks.
    if (lost.some((path) => anyBlockPath.test(path) && !path.startsWith(own))) return;
    await this.#branch.remember(commit);
  }

  async ids(): Promise<readonly string[]> {
    const { commit } = this.#known ?? (await this.#look());
    const folder = `${await this.#branch.prefix()}${encodeURIComponent(this.#environment)}/`;
    const files = commit === null ? [] : await this.#branch.files(commit, folder);
    const first = `/${pathOf(1)}`;
    return files.flatMap(({ name }) => (name.endsWith(first) ? name.slice(0, -first.length) : []));
  }

  async numbers(): Promise<readonly number[]> {
    const { blocks } = this.#known ?? (await this.#look());
    return [...blocks.keys()].sort((one, other) => one - other);
  }

  async read(after: number, limit?: number): Promise<readonly Buffer[]> {
    const isKnown = this.#isFresh;
    this.#isFresh = false;
    const { blocks } = isKnown && this.#known !== undefined ? this.#known : await this.#look();
    const numbers = (await this.numbers()).filter((n) => n > after).slice(0, limit);
    await refuseGap(this, after, numbers);
    return this.#branch.read(numbers.flatMap((n) => blocks.get(n) ?? []));
  }

  async append(n: number, bytes: Buffer, summary: string): Promise<"added" | "taken"> {
    let { commit, blocks } = this.#known ?? (await this.#look());
    if (n > 1 && !blocks.has(n - 1)) ({ commit, blocks } = await this.#look());
    if (blocks.has(n)) return "taken";
    if (n > 1 && !blocks.has(n - 1)) throw await damaged(this, n - 1, "is missing");
    await this.#push(commit, new Map([[pathOf(n), bytes]]), summary);
    return "added";
  }

  async snapshot(): Promise<KeptSnapshot | undefined> {
    const { snapshots } = await this.#look();
    this.#isFresh = true;
    return this.#content(snapshots.at(-1));
  }

  async oldest(): Promise<KeptSnapshot | undefined> {
    const { snapshots } = this.#known ?? (await this.#look());
    return this.#content(snapshots[0]);
  }

  async #content(snapshot: BranchContent["snapshots"][number] | undefined) {
    if (snapshot === undefined) return undefined;
    const [bytes = Buffer.alloc(0)] = await this.#branch.read([snapshot.blob]);
    return { number: snapshot.number, bytes };
  }

  async keep(n: number, snapshot: Buffer): Promise<void> {
    const { commit, snapshots } = this.#known ?? (await this.#look());
    if (snapshots.some(({ number }) => number >= n)) return;
    const files = new Map<string, Buffer | null>([[snapshotName(n), snapshot]]);
    for (const { number } of snapshots) files.set(snapshotName(number), null);
    await this.#push(commit, files, `state after block ${n}`);
  }

  async close(): Promise<void> {
    this.#known = undefined;
    this.#isFresh = false;
  }

  /** Asks the remote for the branch. Refuses it if it lacks blocks that it had before. */
  async #look(): Promise<BranchContent> {
    const commit = await this.#branch.look();
    const newest = this.#branch.otherNewest;
    const lost = newest === null ? [] : await this.#branch.lostSince(newest);
    const first = lost.find((path) => anyBlockPath.test(path));
    if (newest === null || first === undefined) return this.#knowing(commit);
    // The server may have read the branch before a push, and the other ref after it.
    if (await this.#branch.hasMoved()) throw this.#busy();
    const { newestRef } = this.#branch;
    const what =
      commit === null
        ? `${this.place} is gone, but the server still has its newest commit (${newestRef})`
        : `${this.place} was set back or edited. It lacks entries of its newest commit (${newestRef} on the server), such as ${first}`;
    throw new StateProblem(
      "IVR629",
      `${what}. Menus that were recorded in the missing entries would be created again.`,
      await this.#restore(
        newest,
        `If you are sure that the branch is right as it is, ${page}. Otherwise, restore it:`,
      ),
    );
  }

  #busy(): StoreBusy {
    return new StoreBusy("IVR671", `Other runs push to ${this.place} at the same time.`);
  }

  async #knowing(commit: string | null): Promise<BranchContent> {
    if (this.#known?.commit === commit) return this.#known;
    const files = commit === null ? [] : await this.#filesAt(commit);
    const found = (pattern: RegExp) =>
      files.flatMap(({ name, blob }) => {
        const number = pattern.exec(name)?.[1];
        return number === undefined ? [] : [{ number: Number(number), blob }];
      });
    const blocks = new Map(found(blockPath).map(({ number, blob }) => [number, blob]));
    const snapshots = found(snapshotPath).sort((one, other) => one.number - other.number);
    this.#known = { commit, blocks, snapshots };
    return this.#known;
  }

  /** Throws `StoreBusy` if the branch has moved. */
  async #push(
    parent: string | null,
    files: ReadonlyMap<string, Buffer | null>,
    summary: string,
  ): Promise<void> {
    this.#isFresh = false;
    const folder = await this.#folder();
    const paths = new Map([...files].map(([path, content]) => [folder + path, content]));
    const message = `${this.#environment}: ${summary}`;
    const commit = await this.#branch.change(parent, paths, message);
    if ((await this.#branch.push(commit, parent)) === "moved") {
      await this.#look();
      throw this.#busy();
    }
    // The branch has the commit, whatever happens here. If this fails, the next read tries it again.
    await this.#branch.remember(commit).catch(() => {});
    await this.#knowing(commit);
  }

  /** Lists the files of the state at a commit. Their paths begin at its folder. */
  async #filesAt(commit: string): Promise<readonly FileEntry[]> {
    const files = await this.#branch.files(commit, await this.#folder());
    if (files.length > 0 || this.#id === undefined) return files;
    const first = this.#own + pathOf(1);
    const all = await this.#branch.files(commit, "");
    const folders = all.flatMap(({ name }) =>
      name === first || name.endsWith(`/${first}`) ? name.slice(0, -first.length) : [],
    );
    const [folder, ...more] = folders;
    if (folder === undefined || more.length > 0) return files;
    // A copy of a project must not share the state of the original.
    if (await this.#branch.isInWorkTree(folder + configName)) return files;
    this.#before = folder;
    return this.#branch.files(commit, await this.#folder());
  }

  async #folder(): Promise<string> {
    return `${this.#before ?? (await this.#branch.prefix())}${this.#own}`;
  }

  get #own(): string {
    const folder = `${encodeURIComponent(this.#environment)}/`;
    return this.#id === undefined ? folder : `${folder}${this.#id}/`;
  }
}

const page = 'read "Restore the branch" in `ivrctl explain state-git`';
const changedSince = `Other runs have changed the branch since, so it cannot be set to the lost commit. Find the menus that are missing: ${page}.`;

function pathOf(n: number): string {
  const thousand = String(Math.floor(n / 1000)).padStart(5, "0");
  return `log/${thousand}/${String(n).padStart(8, "0")}.jsonl`;
}

function snapshotName(n: number): string {
  return `snapshot-${String(n).padStart(8, "0")}.json`;
}
