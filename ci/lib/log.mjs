// @ts-check
import { randomUUID } from "node:crypto";
import { plain } from "./text.mjs";

/**
 * The log of a job. Everything written to it is plain text. A line that looks like a command to GitHub
 * or GitLab, for example from the name of a menu, has no effect.
 *
 * @typedef {object} Log
 * @property {(title: string) => void} open starts a section; the title must be trusted
 * @property {(text: string) => void} write
 * @property {() => void} close
 */

/**
 * The runner ignores commands between `::stop-commands::` and its token.
 *
 * @implements {Log}
 */
export class GithubLog {
  /** @type {string | undefined} */ #token;
  #atStart = true;

  /** @param {string} title */
  open(title) {
    print(`::group::${title}\n`);
    this.#stop();
  }

  /** @param {string} text */
  write(text) {
    if (text === "") return;
    const own = this.#token === undefined;
    if (own) this.#stop();
    print(text);
    this.#atStart = text.endsWith("\n");
    if (own) this.#resume();
  }

  close() {
    this.#resume();
    print("::endgroup::\n");
  }

  /**
   * Prints workflow commands. Only annotations pass.
   *
   * @param {string} text
   */
  annotate(text) {
    const lines = text.split("\n").filter((line) => /^::(?:error|warning|notice) /.test(line));
    if (lines.length > 0) print(`${lines.join("\n")}\n`);
  }

  #stop() {
    this.#token = randomUUID();
    print(`::stop-commands::${this.#token}\n`);
    this.#atStart = true;
  }

  #resume() {
    if (this.#token === undefined) return;
    print(`${this.#atStart ? "" : "\n"}::${this.#token}::\n`);
    this.#token = undefined;
  }
}

/**
 * Control sequences start a section. They are removed from text.
 *
 * @implements {Log}
 */
export class GitlabLog {
  #sections = 0;

  /** @param {string} title */
  open(title) {
    this.#sections += 1;
    print(
      `${escape}[0Ksection_start:${seconds()}:ivrctl_${this.#sections}\r${escape}[0K${title}\n`,
    );
  }

  /** @param {string} text */
  write(text) {
    print(plain(text));
  }

  close() {
    print(`\n${escape}[0Ksection_end:${seconds()}:ivrctl_${this.#sections}\r${escape}[0K\n`);
  }
}

const escape = "\u001B";

function seconds() {
  return Math.floor(Date.now() / 1000);
}

/** @param {string} text */
function print(text) {
  process.stdout.write(text);
}
