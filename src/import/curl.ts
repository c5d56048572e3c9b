import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { isForCmd, readCmd } from "./cmd.ts";
import type { ExtractedText, Word } from "./extracted-text.ts";
import { type ShellCommand, readShell } from "./shell.ts";

/** The body of a pasted command: the text itself, or `@` and the name of a file. */
export interface Body {
  readonly kind: "text" | "file";
  readonly text: ExtractedText;
}

/**
 * Returns the bodies of all `curl` commands in a text. Drops everything else, and hides it in
 * diagnostics, because headers and addresses may contain tokens.
 */
export function readCurl(source: Source, diagnostics: Diagnostics): Body[] {
  const { commands, unclosed } = isForCmd(source.text) ? readCmd(source) : readShell(source);
  const shown: Stretch[] = [];
  const bodies: Body[] = [];
  const found = new Diagnostics();
  let seen = false;
  for (const command of commands) {
    const first = command.words.findIndex(({ value }) =>
      /(?:^|[/\\])curl(?:\.exe)?$/i.test(value.text),
    );
    const curl = command.words[first];
    if (curl === undefined) continue;
    seen = true;
    shown.push({ start: curl.end - Math.min(curl.value.text.length, 4), end: curl.end });
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
      "IVR651",
      source.span(unclosed, unclosed + 1),
      "This quote is never closed, so the end of the body is unknown.",
      "Paste the whole command, including its last line.",
    );
    return [];
  }
  diagnostics.addAll(found);
  if (bodies.length === 0 && !found.hasErrors) {
    diagnostics.add(
      "IVR651",
      source.top(),
      seen ? "This `curl` command has no payload." : "This is neither JSON nor a `curl` command.",
      seen
        ? "Paste a command with -d, --data, --data-raw or --json."
        : "Paste a payload as JSON, or a whole `curl` command. A command after a # is a comment.",
    );
  }
  return bodies;
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Hides everything except these parts. */
function cover(source: Source, shown: readonly Stretch[]): void {
  let from = 0;
  for (const { start, end } of [...shown].sort((a, b) => a.start - b.start)) {
    source.cover(from, start);
    from = Math.max(from, end);
  }
  source.cover(from, source.text.length);
}

/** An option that gives the request its body. */
interface DataOption {
  readonly option: string;
  readonly word: Word;
  /** How many characters of the word belong to the option. */
  readonly from: number;
}

const dataOptions = new Set("-d --data --data-ascii --data-binary --data-raw --json".split(" "));

/** Options that send something other than a JSON body. */
const otherData = new Set(
  "-F --form --form-string --data-urlencode -T --upload-file -K --config".split(" "),
);

/** Matches short options up to the first that takes a value. */
const shortOption = /^-[A-Za-z0-9#:]*?([AbcCdDeEFHKmoPQrtTuUwxXyYz])/;
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

/** The data options of each request: `--next` begins another request. */
function requestsOf(
  words: readonly Word[],
  shown: Stretch[],
  diagnostics: Diagnostics,
): DataOption[][] {
  const requests: DataOption[][] = [[]];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) continue;
    const { text } = word.value;
    if (text === "--next" || text === "-:") requests.push([]);
    const given = optionIn(text);
    if (given === undefined) continue;
    const { option, attached } = given;
    const place = word.value.span(0, option.length);
    shown.push({ start: word.start, end: place.end });
    const value = attached === undefined ? words[(index += 1)] : word;
    if (otherData.has(option)) {
      diagnostics.add(
        "IVR651",
        place,
        `curl ${option} does not send a JSON body, so ivrctl cannot import it.`,
        "Save the payload as JSON in a file and import the file.",
      );
    }
    if (!dataOptions.has(option)) continue;
    if (value === undefined) {
      diagnostics.add(
        "IVR651",
        word.value.all(),
        `There is no value after ${option}.`,
        "Paste the whole command, including its last line.",
      );
    } else requests.at(-1)?.push({ option, word: value, from: attached ?? 0 });
  }
  return requests.filter((data) => data.length > 0);
}

interface OptionWithValue {
  readonly option: string;
  /** Where its value begins in the same word; undefined if it is the next word. */
  readonly attached: number | undefined;
}

/** Returns the option of a word if it takes a value: `-d`, `--data=…`, or the last one of `-sSd`. */
function optionIn(text: string): OptionWithValue | undefined {
  if (text.startsWith("--")) {
    const [, name = "", equals] = /^--([\w-]+)(=)?/.exec(text) ?? [];
    if (!longWithValue.has(name)) return undefined;
    const option = `--${name}`;
    if (equals !== undefined) return { option, attached: option.length + 1 };
    return text === option ? { option, attached: undefined } : undefined;
  }
  // The letters before it take no value: `-sSd` is `-s -S -d`.
  const [letters, letter] = shortOption.exec(text) ?? [];
  if (letters === undefined) return undefined;
  return {
    option: `-${letter}`,
    attached: letters.length < text.length ? letters.length : undefined,
  };
}

function bodyOf(
  data: readonly DataOption[],
  { input }: ShellCommand,
  diagnostics: Diagnostics,
): Body | undefined {
  const [first, second] = data;
  if (first === undefined) return undefined;
  if (second !== undefined) {
    const { value } = second.word;
    const separator =
      first.option === "--json" && second.option === "--json" ? "" : " with an `&` between them";
    diagnostics.add(
      "IVR651",
      value.span(0, second.from === 0 ? value.text.length : second.from),
      `curl joins the values of ${data.length} data options${separator}, so the body is probably not JSON.`,
      "Write the whole payload after one -d.",
    );
    return undefined;
  }
  const text = first.word.value.from(first.from);
  const mayBeFile = first.option !== "--data-raw";
  if (mayBeFile && text.text === "@-") {
    if (input !== undefined) return unexpanded(input, "text", input.value, diagnostics);
    diagnostics.add(
      "IVR651",
      text.span(0, text.text.length),
      "This command reads its body from another command, and ivrctl does not run commands.",
      "Save the body in a file and import the file.",
    );
    return undefined;
  }
  const kind = mayBeFile && text.text.startsWith("@") ? "file" : "text";
  return unexpanded(first.word, kind, text, diagnostics);
}

/** The body, unless the shell would insert something into its word. */
function unexpanded(
  { expansion }: Word,
  kind: Body["kind"],
  text: ExtractedText,
  diagnostics: Diagnostics,
): Body | undefined {
  if (expansion === undefined) return { kind, text };
  diagnostics.add(
    "IVR651",
    text.source.span(expansion, expansion + 1),
    "A shell would replace this, and ivrctl does not run a shell.",
    "Write the value out. If you mean the character itself, put the body in single quotes.",
  );
  return undefined;
}
