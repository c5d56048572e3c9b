import {
  type Stats,
  closeSync,
  existsSync,
  constants as files,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { Script } from "node:vm";

type Variables = Readonly<Record<string, string | undefined>>;

/** What is smaller is compiled in less time than it takes to look for it. */
const worthKeeping = 8000;
/** Where nothing is larger, a command was over at once, and leaves nothing behind. */
const worthWriting = 20_000;
const maxDays = 30;

/**
 * Where code is kept: a folder of the user's, never one that others share. Undefined where it is
 * switched off, and where owners of files cannot be told.
 */
export function codeFolder(variables: Variables): string | undefined {
  const { NODE_DISABLE_COMPILE_CACHE, NODE_COMPILE_CACHE, XDG_CACHE_HOME, HOME } = variables;
  if (NODE_DISABLE_COMPILE_CACHE || process.getuid === undefined) return undefined;
  if (NODE_COMPILE_CACHE) return join(resolve(NODE_COMPILE_CACHE), "ivrctl");
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return join(XDG_CACHE_HOME, "ivrctl");
  return HOME && isAbsolute(HOME) ? join(HOME, ".cache", "ivrctl") : undefined;
}

/**
 * From now on, what V8 makes of the large files in `chunks` is taken from `folder`, and put there
 * when the process ends. Nothing depends on it: where it is absent, foreign, damaged or made by
 * another Node, a file is compiled as usual.
 *
 * Node's own cache (`module.enableCompileCache`, from 22 on) keeps less than half of it: what was
 * compiled when a file was loaded, not what was when its functions were called.
 */
export function keepCode(chunks: string, folder: string): void {
  const modules = prototypeOfModules();
  const method = "_compile";
  const standard: unknown = modules && Reflect.get(modules, method);
  if (modules === undefined || typeof standard !== "function") return;
  // Loaded here, where it is of use.
  const vm = process.getBuiltinModule("node:vm");
  const fresh: Fresh[] = [];
  Reflect.set(
    modules,
    method,
    function (this: NodeJS.Module, source: string, file: string, ...rest: unknown[]): unknown {
      if (source.length < worthKeeping || dirname(file) !== chunks) {
        return Reflect.apply(standard, this, [source, file, ...rest]);
      }
      const path = join(folder, `${basename(file)}.${process.version}`);
      const cachedData = read(path, source);
      const script = new vm.Script(wrapped(source), {
        filename: file,
        ...(cachedData === undefined ? {} : { cachedData }),
      });
      if (cachedData === undefined || script.cachedDataRejected === true) {
        fresh.push({ path, source, script });
      }
      const run: unknown = script.runInThisContext();
      const require = (id: string): unknown => this.require(id);
      return typeof run === "function"
        ? Reflect.apply(run, this.exports, [this.exports, require, this, file, chunks])
        : undefined;
    },
  );
  process.on("exit", () => {
    if (fresh.some(({ source }) => source.length >= worthWriting)) write(folder, fresh);
  });
}

/** Asked of the module that runs: `node:module` loads a good deal that is of no use here. */
function prototypeOfModules(): object | undefined {
  const main: unknown = Reflect.get(process, "mainModule");
  return typeof main === "object" && main !== null
    ? (Reflect.getPrototypeOf(main) ?? undefined)
    : undefined;
}

/** As Node wraps a file of this kind. */
function wrapped(source: string): string {
  return `(function (exports, require, module, __filename, __dirname) { ${source}\n});`;
}

interface Fresh {
  readonly path: string;
  readonly source: string;
  readonly script: Script;
}

/** The code that was kept for this text, if it can be trusted. */
function read(path: string, source: string): Buffer | undefined {
  let opened: number | undefined;
  try {
    // Of a pipe that stands there nobody waits for an end.
    opened = openSync(path, files.O_RDONLY | files.O_NOFOLLOW | files.O_NONBLOCK);
    const found = fstatSync(opened);
    if (!found.isFile() || !isOurs(found)) return undefined;
    return unpacked(readFileSync(opened), source);
  } catch {
    return undefined;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

/** One file after the other, each whole or not at all, as others may be reading and writing. */
function write(folder: string, fresh: readonly Fresh[]): void {
  try {
    // Root with the home of another (`sudo -E`) would leave there what its owner cannot use.
    if (lastThere(folder).uid !== process.getuid?.()) return;
    make(folder);
    const made = lstatSync(folder);
    if (!made.isDirectory() || !isOurs(made)) return;
    for (const one of fresh) writeOne(one);
    dropOld(folder);
  } catch {
    // It would have been quicker next time.
  }
}

/** Not `recursive`, which goes round for ever where the system has no such folder to make: /proc. */
function make(folder: string): void {
  if (existsSync(folder)) return;
  make(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

function writeOne({ path, source, script }: Fresh): void {
  const code = script.createCachedData();
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, packed(code, source), { flag: "wx", mode: 0o600 });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Nobody else owns it, and nobody else can write to it. */
function isOurs({ uid, mode }: Stats): boolean {
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}

/** The last folder on a path that is there already. */
function lastThere(path: string): Stats {
  return statSync(path, { throwIfNoEntry: false }) ?? lastThere(dirname(path));
}

/** Those of versions that are gone; one that is still in use is made again. */
function dropOld(folder: string): void {
  const oldest = Date.now() - maxDays * 86_400_000;
  for (const name of readdirSync(folder)) {
    // The key of projects' caches is there too.
    if (!/\.cjs\.v\d/.test(name)) continue;
    const path = join(folder, name);
    if (statSync(path).mtimeMs < oldest) rmSync(path, { force: true });
  }
}

// V8 does not look whether code fits its text and is unharmed: it would crash. So the text is kept
// with it, and the code twice: to compare them takes less time than to load what could sum them up.
// A chunk has one byte a character; code of another text would never be found to fit.

function packed(code: Buffer, source: string): Buffer {
  return Buffer.concat([Buffer.from(maker()), Buffer.from(source, "latin1"), code, code]);
}

function unpacked(kept: Buffer, source: string): Buffer | undefined {
  const by = maker();
  const start = by.length + source.length;
  const middle = (kept.length + start) / 2;
  const code = kept.subarray(start, middle);
  const isSound =
    Number.isInteger(middle) &&
    code.length > 0 &&
    kept.toString("latin1", 0, by.length) === by &&
    kept.toString("latin1", by.length, start) === source &&
    code.equals(kept.subarray(middle));
  return isSound ? code : undefined;
}

/** The program that code belongs to. */
function maker(): string {
  const { size, mtimeMs } = statSync(process.execPath);
  return `${process.version} ${process.arch} ${size} ${mtimeMs}\n`;
}
