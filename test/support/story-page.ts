import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { command, folder } from "./cli.ts";
import { environment } from "./environment.ts";

/**
 * A page of the docs that is one story, from an empty folder on. A comment before
 * a fence says what a reader does with it:
 *
 *   <!-- exits with N -->               a command that is meant to fail
 *   <!-- stays -->                      a command in a second terminal
 *   <!-- FILE -->                       the text is that file
 *   <!-- in FILE, instead of: LINE -->  the text replaces that line
 *
 * Nothing is run that no reader sees.
 *
 * What stands as text below a command is what it prints, other lines left out, and
 * the start of a line where that is `…`. How much there was to do is returned.
 */
export async function playPage(path: string): Promise<number> {
  const stage = new Stage();
  const page = readFileSync(path, "utf8");
  let end = 0;
  let played = 0;
  for (const part of page.matchAll(parts)) {
    const [whole, note, language, text = ""] = part;
    const follows = page.slice(end, part.index).trim() === "";
    if (language === "sh" && note === "stays") await stage.start(text);
    else if (language === "sh") await stage.run(text, Number(/\d+$/.exec(note ?? "0")?.[0]));
    else if (language === "yaml") stage.write(note ?? "", text);
    else if (language === "text" && follows) stage.compare(text);
    end = part.index + whole.length;
    played += 1;
  }
  return played;
}

const parts = /(?:^<!-- ([^\n]+) -->\n)?^```(\w+)\n(.*?)^```$/gms;

/** Where a reader is, and what was printed last. */
class Stage {
  readonly #root = folder({});
  readonly #path: string;
  /** What outlives a command in a shell: where it is, and what is exported. */
  #kept = "";
  #printed = "";
  #address = "";

  constructor() {
    const bin = folder({ ivrctl: `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n` });
    chmodSync(join(bin, "ivrctl"), 0o755);
    this.#path = `${bin}:${process.env["PATH"]}`;
  }

  async run(lines: string, expected: number): Promise<void> {
    const child = this.#shell(`set -e\n${lines}`);
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk: string) => (printed += chunk));
    }
    const exit = await new Promise((resolve) => child.on("close", resolve));
    assert.equal(exit, expected, `${lines} ends with ${String(exit)}:\n${printed}`);
    this.#printed = printed;
    for (const line of lines.split("\n"))
      if (/^(?:cd|export) /.test(line)) this.#kept += `${line}\n`;
  }

  /** The sandbox; another port than the page's, which may be taken. */
  async start(line: string): Promise<void> {
    const child = this.#shell(`exec ${line.replace("ivrctl sandbox", "ivrctl sandbox --port 0")}`);
    const closed = new Promise((resolve) => child.on("close", resolve));
    onTestFinished(async () => {
      child.kill();
      await closed;
    });
    let said = "";
    const address = /http:\/\/127\.0\.0\.1:\d+/;
    await new Promise<void>((resolve, reject) => {
      child.on("close", () => reject(new Error(`It did not stay: ${said}`)));
      child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
        said += chunk;
        if (address.test(said)) resolve();
      });
    });
    this.#address = address.exec(said)?.[0] ?? "";
  }

  write(note: string, text: string): void {
    const [, changed, line] = /^in (\S+), instead of: (.*)$/.exec(note) ?? [];
    const folder = /^cd (\S+)$/m.exec(this.#kept)?.[1] ?? "";
    const path = join(this.#root, folder, changed ?? note);
    assert.notEqual(note, "", `Which file is this?\n${text}`);
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
    const printed = this.#printed.split("\n");
    for (const line of text.split("\n").filter((line) => line !== "")) {
      const rest = /^… *(.*)$/.exec(line)?.[1];
      const there = printed.some((one) => (rest === undefined ? one === line : one.endsWith(rest)));
      assert.ok(there, `This was not printed: ${line}\nThis was:\n${this.#printed}`);
    }
  }

  #shell(lines: string): ChildProcess {
    const script = (this.#kept + lines).replaceAll("http://127.0.0.1:4010", this.#address);
    return spawn("sh", ["-c", script], {
      cwd: this.#root,
      env: { ...environment(), PATH: this.#path },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }
}
