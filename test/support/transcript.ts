import { addNewerBlock, blockFiles, damageState, snapshotFile, stateFolder } from "./file-log.ts";
import { lockElsewhere } from "./state.ts";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Finished } from "./cli.ts";
import { ivrctl } from "./commands.ts";
import { quietPort } from "../../scripts/quiet-port.mjs";
import { operationNames } from "../../src/schema/operations.ts";
import { quirkNames } from "../../src/schema/trial-rows.ts";
import { environment } from "./environment.ts";
import { sharedText, withoutCount } from "./cases.ts";
import { clock, quickClock, stoppedClock } from "./host.ts";
import { pick } from "./json.ts";
import { service, token } from "./project.ts";
import { type Command, readCommand, readTranscript } from "./transcript-commands.ts";
import { matterKinds } from "../../src/deploy/reasons/kinds.ts";

/**
 * Runs the commands of a transcript in this folder again, and returns what a person would see. They look
 * like shell commands, but no shell runs, and only the programs below exist. Each command starts a minute
 * after the previous one. With COLUMNS, stdout is a terminal. With TYPED, a person at a terminal types these
 * answers, with commas between them.
 */
export async function transcript(text: string, path: string): Promise<string> {
  const place = new Place(realpathSync(path));
  let time = Date.parse("2026-03-02T09:00:00Z");
  let shown = "";
  let previous: "comment" | "silent" | "output" = "comment";
  for (const command of readTranscript(text)) {
    if (typeof command === "string") {
      shown += `${previous === "comment" ? "" : "\n"}${command}\n`;
      previous = "comment";
      continue;
    }
    place.clock = quickClock(stoppedClock(time));
    time += 60_000;
    const output = show(await place.run(command), place, command);
    shown += `${previous === "output" ? "\n" : ""}$ ${command.source}\n${output}`;
    previous = output === "" ? "silent" : "output";
  }
  return shown;
}

/** The machine and the user that every transcript shows. */
const machine = { name: "office", user: () => "asha" };

/** The menus of a service with more operations. */
const serviceFile = "service.jsonl";

class Place {
  readonly path: string;
  clock = clock;
  /** The address of each service that was started, and the name that replaces it. */
  readonly addresses: (readonly [string, string])[] = [];
  /** The line about the environment, and the reminder of old menus, that were shown last. */
  shownEnvironment = "";
  shownReminder = "";
  readonly #variables: Record<string, string> = {};
  /** The current folder, relative to `path`. */
  #folder = "";
  #service: Awaited<ReturnType<typeof service>> | undefined;
  /** The last ivrctl command, which `fix` and `gone` run again. */
  #last: readonly string[] = [];
  /** What the service offers besides creating menus and listing agents. */
  #operations: readonly string[] | undefined;
  /** Its agents, if they are not the usual ones. */
  #agents: readonly unknown[] | undefined;

  constructor(path: string) {
    this.path = path;
  }

  async run(command: Command): Promise<Finished> {
    const { words, variables, files } = command;
    const [program = "", ...args] = words;
    const { "<": from, "<<<": text, ">": to, ">>": onto } = files;
    const input = from === undefined ? (text ?? "") : this.#read(from);
    const given = Object.entries({ ...this.#variables, ...variables });
    const env = Object.fromEntries(given.filter(([, value]) => value !== ""));
    const columns = env["COLUMNS"] === undefined ? {} : { columns: Number(env["COLUMNS"]) };
    const typed = variables["TYPED"] === undefined ? {} : { typed: variables["TYPED"].split(",") };
    const options = {
      cwd: this.#in(""),
      env,
      input,
      clock: this.clock,
      machine,
      ...columns,
      ...typed,
    };
    const run = (given: readonly string[]) => ivrctl(given, options);
    if (program === "ivrctl") this.#last = args;
    const finished =
      program === "ivrctl"
        ? await run(args)
        : program === "fix" || program === "gone"
          ? await this.#fix(program, args, run)
          : { exit: 0, stdout: await this.#print(program, args), stderr: "" };
    if (to !== undefined) writeFileSync(this.#in(to), finished.stdout);
    else if (onto !== undefined) appendFileSync(this.#in(onto), finished.stdout);
    else return finished;
    return { ...finished, stdout: "" };
  }

  /**
   * `fix KIND WORD…` runs the command of the first fix of a matter that the last ivrctl command shows, with
   * words for its placeholders (`ID=7`) and after it. First it shows which other commands show the matter,
   * and their exit codes. `gone KIND` fails if the matter is still there.
   */
  async #fix(
    program: "fix" | "gone",
    [kind = "", ...words]: readonly string[],
    run: (args: readonly string[]) => Promise<Finished>,
  ): Promise<Finished> {
    const { stdout } = await run([...this.#last, "--format", "json"]);
    const [found] = foundOf(kind, JSON.parse(stdout));
    if ((program === "gone") === (found !== undefined)) {
      const others = pick(stdout, ["matters.kind", "diagnostics.code,message"]);
      throw new Error(`${kind} is ${found === undefined ? "not" : "still"} there: ${others}`);
    }
    if (found === undefined) return { exit: 0, stdout: "", stderr: "" };
    const places = await this.#placesOf(found.message, run);
    const [, command] = /: ivrctl (.+)$/.exec(found.fix) ?? [];
    if (command === undefined) return { exit: 0, stdout: `${places}\n${found.fix}\n`, stderr: "" };
    const given = words.flatMap((word) => /^([A-Z]+)=(.*)$/.exec(word)?.slice(1, 3) ?? []);
    const filled = readCommand(command).words.map((word) =>
      given.reduce(
        (text, name, at) => (at % 2 === 0 ? text.replace(name, given[at + 1] ?? "") : text),
        word,
      ),
    );
    const args = [...filled, ...words.filter((word) => !/^[A-Z]+=/.test(word))];
    const finished = await run(args);
    return { ...finished, stdout: `${places}\nivrctl ${args.join(" ")}\n${finished.stdout}` };
  }

  /** Which commands show a message, and their exit codes. */
  async #placesOf(
    message: string,
    run: (args: readonly string[]) => Promise<Finished>,
  ): Promise<string> {
    const last =
      this.#last[0] === "plan" ? this.#last.filter((word) => word !== "--quiet") : ["plan"];
    const commands = {
      plan: last,
      comment: [...last, "--format", "markdown"],
      "state list": ["state", "list"],
      doctor: ["doctor"],
    };
    const places: string[] = [];
    for (const [place, args] of Object.entries(commands)) {
      const { exit, stdout, stderr } = await run(args);
      const isShown = lettersOf(stdout + stderr).includes(lettersOf(message));
      if (isShown) places.push(`${place} (exit ${exit})`);
    }
    return `[shown by ${places.join(", ") || "no other command"}]`;
  }

  async #print(program: string, args: readonly string[]): Promise<string> {
    const [first = "", second = ""] = args;
    switch (program) {
      case "start-service":
        await this.#startService(args);
        return "";
      case "list-agents":
        // From now on, the service lists the agents of this file.
        this.#agents = JSON.parse(this.#read(first));
        if (this.#service) await this.#startService(["--again"]);
        return "";
      case "on-console":
        // Somebody changes a menu without ivrctl.
        appendFileSync(this.#in(serviceFile), `{"at":"2026-03-02T09:00:00.000Z",${first}}\n`);
        return "";
      case "list-records":
        return lines(this.#service?.records.map(({ payload }) => payload.name) ?? []);
      case "lock-state":
        // A run on another machine holds the lock.
        lockElsewhere(this.#in(""));
        return "";
      case "damage-state":
        damageState(this.#in(""));
        return "";
      case "add-newer-block":
        addNewerBlock(this.#in(""));
        return "";
      case "cut-state":
        // The newest block is lost.
        rmSync(blockFiles(this.#in("")).at(-1) ?? "");
        return "";
      case "edit-snapshot":
        writeFileSync(snapshotFile(this.#in("")), "{}\n");
        return "";
      case "git":
        return execFileSync("git", args, {
          cwd: this.#in(""),
          env: { ...environment(), ...author },
          encoding: "utf8",
        });
      case "cd":
        this.#folder = join(this.#folder, first);
        return "";
      case "cat":
        return args.map((file) => this.#read(file)).join("");
      case "find":
        return lines(this.#filesIn(first));
      case "echo":
        return first === "-n" ? second : `${args.join(" ")}\n`;
      case "cmp":
        if (this.#read(first) !== this.#read(second)) throw new Error(`${first} ${second} differ.`);
        return "";
      case "cp":
        cpSync(this.#in(first), this.#in(second), { recursive: true });
        return "";
      case "rm":
        for (const file of args) rmSync(this.#in(file), { recursive: true });
        return "";
      case "sed":
        return this.#substitute(args);
      default:
        throw new Error(`A transcript has no program ${program}.`);
    }
  }

  /**
   * Starts a service with faults. With `--operations LIST` first, it offers these and keeps its menus in a
   * file. The shared ivrctl.yaml then names them. `--again` stops it and starts it with other faults.
   */
  async #startService(args: readonly string[]): Promise<void> {
    const again = args[0] === "--again" ? this.#service : undefined;
    if (args[0] === "--operations") this.#offer(args[1] ?? "");
    const [quirks = "", ...others] = args[2] === "--quirks" ? args.slice(3) : [];
    const rest = args.slice(again ? 1 : args[0] === "--operations" ? 2 : 0);
    const faults = args[2] === "--quirks" ? others : rest;
    await again?.close();
    this.#service = await service({
      faults,
      agents: this.#agents,
      clock: { ...clock, now: () => this.clock.now() },
      port: again ? Number(new URL(again.url).port) : await quietPort(),
      ...(this.#operations && {
        operations: operationNames.filter((name) => this.#operations?.includes(name)),
        dataFile: this.#in(serviceFile),
        quirks: quirkNames.filter((name) => quirks.split(",").includes(name)),
      }),
    });
    const { url } = this.#service;
    Object.assign(this.#variables, { BASE_URL: url, TOKEN: token });
    if (again) return;
    const count = this.addresses.length + 1;
    this.addresses.push([url, `http://127.0.0.1:<port${count === 1 ? "" : ` ${count}`}>`]);
  }

  #offer(names: string): void {
    this.#operations = names.split(",");
    const config = this.#read("ivrctl.yaml");
    if (config !== sharedText("transcripts.yaml")) return;
    const line = `    operations: [${this.#operations.join(", ")}]\n`;
    writeFileSync(this.#in("ivrctl.yaml"), config.replace(/^ {4}service: .*\n/m, `$&${line}`));
  }

  /** Runs `sed [-i] s/THIS/THAT/[g] FILE` on the whole text. It must change something. */
  #substitute(args: readonly string[]): string {
    const [expression = "", file = ""] = args.slice(-2);
    const [, , pattern = "", replacement = "", flags = ""] =
      /^s(.)(.*)\1(.*)\1([gs]*)$/s.exec(expression) ?? [];
    const before = this.#read(file);
    const after = before.replace(
      new RegExp(pattern, `m${flags}`),
      replacement.replaceAll("\\n", "\n"),
    );
    if (after === before) throw new Error(`sed ${expression} changes nothing in ${file}.`);
    if (args[0] !== "-i") return after;
    writeFileSync(this.#in(file), after);
    return "";
  }

  #filesIn(name: string): string[] {
    return readdirSync(this.#in(name), { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.path.length + 1))
      .sort();
  }

  /** `ID` is the folder of the state that ivrctl.yaml names. */
  #in(name: string): string {
    const path = join(this.path, this.#folder);
    return name.includes("/ID/")
      ? join(stateFolder(path), name.slice(name.indexOf("/ID/") + 4))
      : join(path, name);
  }

  #read(name: string): string {
    return readFileSync(this.#in(name), "utf8");
  }
}

interface Shown {
  readonly matters?: readonly {
    readonly kind: string;
    readonly message: string;
    readonly fix: readonly string[];
  }[];
  readonly diagnostics?: readonly {
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
  }[];
}

interface Found {
  readonly message: string;
  readonly fix: string;
}

/** A kind of matter and what to do about it. What refuses a plan, and all that doctor shows, is a diagnostic. */
function foundOf(kind: string, { matters, diagnostics = [] }: Shown): Found[] {
  const row = matterKinds.find((one) => one.kind === kind);
  const { code = "IVR684" } = row ?? {};
  const isDiagnostic = matters === undefined || row?.blocks === "everything";
  // A code that depends on the facts can be any.
  const shown = isDiagnostic
    ? diagnostics.filter((one) => typeof code !== "string" || one.code === code)
    : [];
  return [
    ...(matters ?? []).flatMap((one) =>
      one.kind === kind ? { message: one.message, fix: one.fix[0] ?? "" } : [],
    ),
    // The last step of doctor is about calls.
    ...shown.map(({ message, hint = "" }) => ({ message, fix: hint })).toReversed(),
  ];
}

/** The letters and digits of a text, without line breaks and markup. */
function lettersOf(text: string): string {
  return text
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

const author = {
  GIT_AUTHOR_NAME: "Asha",
  GIT_AUTHOR_EMAIL: "asha@example.test",
  GIT_AUTHOR_DATE: "2026-03-01T09:00:00Z",
  GIT_COMMITTER_NAME: "Asha",
  GIT_COMMITTER_EMAIL: "asha@example.test",
  GIT_COMMITTER_DATE: "2026-03-01T09:00:00Z",
};

const lines = (items: readonly string[]) => items.map((item) => `${item}\n`).join("");

function show({ exit, stdout, stderr }: Finished, place: Place, command: Command): string {
  const { filter, showsStderr } = command;
  const code = exit === 0 ? "" : `[exit ${exit}]\n`;
  const errors = showsStderr ? withoutEnvironment(shownText(stderr, place), place) : "";
  const output = withoutReminder(shownText(stdout, place), place);
  if (filter[0] === "grep") return grep(output + errors, filter.slice(1).join(" ")) + code;
  return filtered(output, filter) + (errors && `[stderr]\n${errors}`) + code;
}

/** Leaves out the line about the environment if the previous one was the same. */
function withoutEnvironment(text: string, place: Place): string {
  const line = /^Environment .*\n/.exec(text)?.[0] ?? "";
  if (line !== "" && line === place.shownEnvironment) return text.slice(line.length);
  place.shownEnvironment = line || place.shownEnvironment;
  return text;
}

const open = String.raw`((?:As far as recorded, no|No) caller reaches \d+ old menus? any more|\d+ old menus? may still be in use).*\n.*\n`;
/** The reminder, with its heading if nothing else is below it. */
const reminder = new RegExp(`^(?:Needs manual action\n  )?${open}\n|^  ${open}`, "m");

/** Leaves out the reminder of old menus if the previous one said the same. */
function withoutReminder(text: string, place: Place): string {
  const [found = "", first, second] = reminder.exec(text) ?? [];
  const count = first ?? second ?? place.shownReminder;
  if (count === place.shownReminder) return text.replace(found, "");
  place.shownReminder = count;
  return text;
}

/** Returns the lines with a text. */
function grep(text: string, words: string): string {
  return lines(text.split("\n").filter((line) => line.includes(words)));
}

/**
 * Returns a part of an output that another case shows completely: `pick` the fields of a JSON document,
 * `fold` the pictures and payloads of a comment to a line each.
 */
function filtered(text: string, [filter, ...args]: readonly string[]): string {
  if (filter === undefined) return text;
  if (filter === "pick") return pick(text, args);
  if (filter === "fold") return text.replaceAll(/^(```\w+)\n.*?^```$/gms, "$1 …```");
  throw new Error(`A transcript has no filter ${filter}.`);
}

/** Replaces variable parts by names in angle brackets, and invisible characters by code points. */
function shownText(text: string, place: Place): string {
  if (text === "") return "";
  return (
    place.addresses
      .reduce((shown, [address, name]) => shown.replaceAll(address, name), withoutCount(text))
      .replace(/(?<!\n)$/, "[no newline]\n")
      .replaceAll(place.path, "<folder>")
      .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<uuid>")
      .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}\b/g, "<id>")
      // ivrctl.yaml contains the id.
      .replaceAll(/("config": ")[0-9a-f]{64}/g, "$1<digest>")
      .replaceAll(/(HEAD \()[0-9a-f]{6}(?:<span><\/span>)?[0-9a-f]\)/g, "$1<commit>)")
      .replaceAll(/(commit |merge |\()[0-9a-f]{7}(?=[,\n`])/g, "$1<commit>")
      .replaceAll(/\b[0-9a-f]{16}\b/g, "<sum>")
      .replaceAll(/^( {2}"digest": )"[0-9a-f]{64}"/gm, '$1"<digest of all this>"')
      .replaceAll(/("run": ?)"[0-9a-f]{8}"/g, '$1"<run>"')
      .replaceAll(/\b\d+ ms\b/g, "<n> ms")
      .replaceAll(/\bNode \d+(?:\.\d+)+/g, "Node <version>")
      // How many events share a block depends on when answers arrive.
      .replaceAll(/\bblock [1-9]\d*\b/g, "block <n>")
      .replaceAll(/\b\d{8}\.jsonl\b/g, "<n>.jsonl")
      .replaceAll(/\bagain in [\d.]+ s\b/g, "again in <n> s")
      .replaceAll(/(?!\n)[\p{Cc}\p{Cf}\u00a0]|[ \u00a0]+$/gmu, (found) =>
        Array.from(found, codePoint).join(""),
      )
  );
}

function codePoint(character: string): string {
  return `<U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}>`;
}
