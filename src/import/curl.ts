import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { isForCmd, readCmd } from "./cmd.ts";
import { Decoded } from "./decoded.ts";
import { type ShellCommand, type Word, readShell } from "./shell.ts";

/** What a request of a pasted command would send: a text in it, or that of a file. */
export type Body =
  | { readonly kind: "text"; readonly text: Decoded }
  | { readonly kind: "file"; readonly name: string; readonly at: Decoded };

/**
 * The bodies of every `curl` in a text. Of all else, headers and addresses with
 * their tokens above all, nothing is kept, and no line shown of this text has it.
 */
export function readCurl(source: Source, diagnostics: Diagnostics): Body[] {
  const { commands, unclosed } = isForCmd(source.text) ? readCmd(source) : readShell(source);
  const shown: Stretch[] = [];
  const bodies: Body[] = [];
  const found = new Diagnostics();
  let seen = false;
  for (const command of commands) {
    const first = command.words.findIndex(({ text }) => /(?:^|[/\\])curl(?:\.exe)?$/i.test(text));
    const curl = command.words[first];
    if (curl === undefined) continue;
    seen = true;
    shown.push({ start: curl.end - Math.min(curl.text.length, 4), end: curl.end });
    const rest = command.words.slice(first + 1);
    for (const data of requestsOf(rest, shown, found)) {
      const body = bodyOf(data, command, found);
      if (body === undefined) continue;
      if (body.kind === "text") shown.push(body.text.all());
      bodies.push(body);
    }
  }
  cover(source, unclosed === undefined ? shown : []);
  if (unclosed !== undefined) {
    diagnostics.add(
      "IVR653",
      source.span(unclosed, unclosed + 1),
      "This quote is never closed, so there is no saying where the body ends.",
      "Paste the whole command, to its last line.",
    );
    return [];
  }
  diagnostics.addAll(found);
  if (bodies.length === 0 && !found.hasErrors) {
    diagnostics.add(
      "IVR651",
      source.top(),
      seen
        ? "This `curl` sends no data, so there is no payload in it."
        : "This is neither JSON nor a `curl` command.",
      seen
        ? "The command that creates a menu has -d, --data, --data-raw or --json."
        : "Give a payload as JSON, or the whole command; one behind a # is a comment.",
    );
  }
  return bodies;
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Covers everything but these. */
function cover(source: Source, shown: readonly Stretch[]): void {
  let from = 0;
  for (const { start, end } of [...shown].sort((a, b) => a.start - b.start)) {
    source.cover(from, start);
    from = Math.max(from, end);
  }
  source.cover(from, source.text.length);
}

interface Datum {
  readonly option: string;
  readonly value: Word;
  /** How many characters of the word belong to the option. */
  readonly from: number;
  /** Whether `@` in front names a file. */
  readonly files: boolean;
  /** `--json` given several times is one text; other data are joined by `&`. */
  readonly json: boolean;
}

const dataOptions: Readonly<Record<string, { readonly files: boolean; readonly json: boolean }>> = {
  "-d": { files: true, json: false },
  "--data": { files: true, json: false },
  "--data-ascii": { files: true, json: false },
  "--data-binary": { files: true, json: false },
  "--data-raw": { files: false, json: false },
  "--json": { files: true, json: true },
};

/** Ways to send something that is not a JSON body. */
const otherData = new Set([
  "-F",
  "--form",
  "--form-string",
  "--data-urlencode",
  "-T",
  "--upload-file",
  "-K",
  "--config",
]);

const shortWithValue = "AbcCdDeEFHKmoPQrtTuUwxXyYz";
const longWithValue = new Set(
  `abstract-unix-socket aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to
  continue-at cookie cookie-jar crlfile data data-ascii data-binary data-raw data-urlencode delegation
  dns-servers doh-url dump-header engine expect100-timeout form form-string header hostpubsha256 interface
  json key key-type krb limit-rate local-port login-options max-filesize max-redirs max-time netrc-file
  noproxy oauth2-bearer output output-dir pass pinnedpubkey preproxy proto proto-default proxy proxy-cacert
  proxy-cert proxy-header proxy-key proxy-pass proxy-user pubkey quote range rate referer request
  request-target resolve retry retry-delay retry-max-time service-name socks4 socks4a socks5 socks5-hostname
  speed-limit speed-time stderr time-cond tls-max tls13-ciphers tlspassword tlsuser trace trace-ascii
  unix-socket upload-file url url-query user user-agent variable write-out`.split(/\s+/),
);

/** The data of each request: `--next` begins another one. */
function requestsOf(words: readonly Word[], shown: Stretch[], diagnostics: Diagnostics): Datum[][] {
  const requests: Datum[][] = [[]];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) continue;
    if (word.text === "--next" || word.text === "-:") requests.push([]);
    const given = optionIn(word.text);
    if (given === undefined) continue;
    const { option, attached } = given;
    shown.push({ start: word.start, end: word.span(0, option.length).end });
    const value = attached === undefined ? words[(index += 1)] : word;
    if (otherData.has(option)) {
      diagnostics.add(
        "IVR653",
        word.span(0, option.length),
        `${option} sends something else than a JSON body, and that cannot be imported.`,
        "Save the payload as JSON in a file and import that.",
      );
    }
    const kind = Object.hasOwn(dataOptions, option) ? dataOptions[option] : undefined;
    if (kind === undefined) continue;
    if (value === undefined) {
      diagnostics.add("IVR653", word.all(), `Nothing stands behind this ${option}.`);
    } else requests.at(-1)?.push({ option, value, from: attached ?? 0, ...kind });
  }
  return requests.filter((data) => data.length > 0);
}

interface Given {
  readonly option: string;
  /** Where its value begins in the same word; undefined where it is the next word. */
  readonly attached: number | undefined;
}

/** An option that takes a value, if the word is or holds one. */
function optionIn(text: string): Given | undefined {
  if (text.startsWith("--")) {
    const [, name = "", equals] = /^--([\w-]+)(=)?/.exec(text) ?? [];
    if (!longWithValue.has(name)) return undefined;
    const option = `--${name}`;
    if (equals !== undefined) return { option, attached: option.length + 1 };
    return text === option ? { option, attached: undefined } : undefined;
  }
  if (!/^-[^-]/.test(text)) return undefined;
  for (let at = 1; at < text.length; at += 1) {
    const letter = text[at] ?? "";
    if (!/[A-Za-z0-9#:]/.test(letter)) return undefined;
    if (shortWithValue.includes(letter)) {
      // Letters before it take no value: `-sSd` is `-s -S -d`.
      return { option: `-${letter}`, attached: at + 1 < text.length ? at + 1 : undefined };
    }
  }
  return undefined;
}

function bodyOf(
  data: readonly Datum[],
  { input }: ShellCommand,
  diagnostics: Diagnostics,
): Body | undefined {
  const [first, second] = data;
  if (first === undefined) return undefined;
  if (second !== undefined) {
    diagnostics.add(
      "IVR653",
      second.value.span(0, second.from === 0 ? second.value.text.length : second.from),
      `curl joins this to the ${first.option} before it${first.json && second.json ? "" : " with an `&`"}, and ${data.length} data options make no certain JSON body.`,
      "Write the whole payload behind one -d.",
    );
    return undefined;
  }
  const { value, from, files } = first;
  const text = value.text.slice(from);
  if (files && text === "@-") {
    if (input !== undefined) return wholeBody(input, 0, diagnostics);
    diagnostics.add(
      "IVR653",
      value.span(from, value.text.length),
      "This command reads its body from another one, and ivrctl runs neither.",
      "Save the body in a file and import that.",
    );
    return undefined;
  }
  if (files && text.startsWith("@")) {
    if (expands(value, diagnostics)) return undefined;
    return { kind: "file", name: text.slice(1), at: partOf(value, from) };
  }
  return wholeBody(value, from, diagnostics);
}

function wholeBody(word: Word, from: number, diagnostics: Diagnostics): Body | undefined {
  return expands(word, diagnostics) ? undefined : { kind: "text", text: partOf(word, from) };
}

function partOf(word: Word, from: number): Decoded {
  if (from === 0) return word;
  const offsets = Array.from(
    { length: word.text.length - from },
    (_, index) => word.span(from + index, from + index).start,
  );
  return new Decoded(word.source, word.text.slice(from), offsets, word.end);
}

function expands({ expansion, source }: Word, diagnostics: Diagnostics): boolean {
  if (expansion === undefined) return false;
  diagnostics.add(
    "IVR653",
    source.span(expansion, expansion + 1),
    "Here the shell would put something else in, and ivrctl runs no shell.",
    "Write out what is meant; in single quotes a $ or a backtick stands for itself.",
  );
  return true;
}
