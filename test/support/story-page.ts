import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { folder, pathWithIvrctl } from "./cli.ts";
import { ivrctl } from "./commands.ts";
import { environment } from "./environment.ts";
import { readCommand } from "./transcript-commands.ts";

/**
 * Runs a tutorial page of the docs in an empty folder, and returns the number of code blocks. A comment
 * before a code block says how to use it:
 *
 *   <!-- exits with N -->               the command must fail with this exit code
 *   <!-- stays -->                      the command runs in a second terminal
 *   <!-- FILE -->                       the block is the content of this file
 *   <!-- in FILE, instead of: LINE -->  the block replaces this line
 *
 * A text block after a command shows lines that the command must print. It may leave out lines, and
 * `…` at the start of a line replaces the start of the printed line.
 */
export async function playPage(path: string): Promise<number> {
  const reader = new Reader();
  const page = readFileSync(path, "utf8");
  let end = 0;
  let played = 0;
  for (const part of page.matchAll(parts)) {
    const [whole, note, language, text = ""] = part;
    const follows = page.slice(end, part.index).trim() === "";
    if (language === "sh" && note === "stays") await reader.start(text);
    else if (language === "sh") await reader.run(text, Number(/\d+$/.exec(note ?? "0")?.[0]));
    else if (language === "yaml") reader.write(note ?? "", text);
    else if (language === "text" && follows) reader.compare(text);
    end = part.index + whole.length;
    played += 1;
  }
  return played;
}

const parts = /(?:^<!-- ([^\n]+) -->\n)?^```(\w+)\n(.*?)^```$/gms;

/** The folder and the shell of the reader, and the last output. */
class Reader {
  readonly #root = folder({});
  readonly #path = pathWithIvrctl();
  /** The `cd` and `export` lines so far, which later commands need. */
  #kept = "";
  #printed = "";
  #address = "";

  async run(lines: string, expected: number): Promise<void> {
    const plain = lines.trim().split("\n").map(plainWords);
    const { exit, printed } = plain.every((words) => words !== undefined)
      ? await this.#runHere(plain)
      : await this.#runInShell(lines);
    assert.equal(exit, expected, `${lines} exits with ${String(exit)}:\n${printed}`);
    this.#printed = printed;
    for (const line of lines.split("\n"))
      if (/^(?:cd|export) /.test(line)) this.#kept += `${line}\n`;
  }

  async #runHere(commands: readonly (readonly string[])[]) {
    const cwd = join(this.#root, this.#folder());
    const exported = [...this.#withAddress(this.#kept).matchAll(/^export (.*)$/gm)];
    const env = Object.fromEntries(
      exported
        .flatMap(([, assignments = ""]) => assignments.split(" "))
        .map((assignment) => assignment.split("=", 2)),
    ) as Record<string, string>;
    let printed = "";
    for (const words of commands) {
      const { exit, stdout, stderr } = await ivrctl(
        words.map((word) => this.#withAddress(word)),
        {
          cwd,
          env,
        },
      );
      printed += stdout + stderr;
      if (exit !== 0) return { exit, printed };
    }
    return { exit: 0, printed };
  }

  async #runInShell(lines: string) {
    const child = this.#shell(`set -e\n${lines}`);
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk: string) => (printed += chunk));
    }
    const exit = await new Promise((resolve) => child.on("close", resolve));
    return { exit, printed };
  }

  /** Starts the sandbox on a free port, because the port of the page may be in use. */
  async start(line: string): Promise<void> {
    const child = this.#shell(`exec ${line.replace("ivrctl sandbox", "ivrctl sandbox --port 0")}`);
    const closed = new Promise((resolve) => child.on("close", resolve));
    onTestFinished(async () => {
      child.kill();
      await closed;
    });
    let printed = "";
    const address = /http:\/\/127\.0\.0\.1:\d+/;
    await new Promise<void>((resolve, reject) => {
      child.on("close", () => reject(new Error(`The command ended: ${printed}`)));
      child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
        printed += chunk;
        if (address.test(printed)) resolve();
      });
    });
    this.#address = address.exec(printed)?.[0] ?? "";
  }

  write(note: string, text: string): void {
    const [, changed, line] = /^in (\S+), instead of: (.*)$/.exec(note) ?? [];
    const path = join(this.#root, this.#folder(), changed ?? note);
    assert.notEqual(note, "", `This block needs a comment with the name of the file:\n${text}`);
    if (line === undefined) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return;
    }
    const before = readFileSync(path, "utf8");
    assert.ok(before.includes(`${line}\n`), `${path} has no line: ${line}`);
    writeFileSync(path, before.replace(`${line}\n`, text));
  }

  compare(text: string): void {
    // The id of a state is random.
    const plain = (raw: string) => raw.replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}\b/g, "ID");
    const printed = plain(this.#printed).split("\n");
    for (const line of plain(text)
      .split("\n")
      .filter((line) => line !== "")) {
      const rest = /^… *(.*)$/.exec(line)?.[1];
      const there = printed.some((one) => (rest === undefined ? one === line : one.endsWith(rest)));
      assert.ok(there, `Expected this line: ${line}\nPrinted:\n${this.#printed}`);
    }
  }

  #folder(): string {
    return join(...[...this.#kept.matchAll(/^cd (\S+)$/gm)].map(([, path = ""]) => path));
  }

  #withAddress(text: string): string {
    return text.replaceAll("http://127.0.0.1:4010", this.#address);
  }

  #shell(lines: string): ChildProcess {
    return spawn("sh", ["-c", this.#withAddress(this.#kept + lines)], {
      cwd: this.#root,
      env: { ...environment(), PATH: this.#path },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }
}

/**
 * Returns the words of a command that a shell would only split, without its name. Such a command can
 * run in this process.
 */
export function plainWords(line: string): readonly string[] | undefined {
  const isPlain = /^ivrctl (?:[\w ./,:=-]|'[^']*'|"[^"$`\\]*")+$/.test(line);
  return isPlain ? readCommand(line).words.slice(1) : undefined;
}
