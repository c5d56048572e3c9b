import { isCode } from "../diagnostics/codes.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { shownLimit } from "../schema/limits.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import { ruleNamed, rules } from "./built-in/index.ts";
import { type Silence, type Silences, silencesIn } from "./silences.ts";

interface Known {
  /** Every rule by name, and whether one that found nothing has looked. */
  readonly known: ReadonlyMap<string, boolean>;
  /** Whether these are all the rules there are. */
  readonly complete: boolean;
  /** Whether all of the file could be judged. */
  readonly clear: boolean;
}

/** What comments silence, and which of them were needed. */
export class Quiet {
  readonly #files = new Map<Source, Silences>();
  readonly #lines = new Map<Source, ReadonlyMap<string, readonly Silence[]>>();
  readonly #needed = new Map<Source, Set<number>>();

  /** The comments that silence a rule where it found something. */
  at({ source, start }: Span, rule: string): readonly Silence[] {
    const file = this.#byLine(source);
    return file.size === 0 ? [] : (file.get(idOf(source.position(start).line, rule)) ?? []);
  }

  /** The silence that stands here silences something. */
  need({ source, start }: Span): void {
    const needed = this.#needed.get(source);
    if (needed === undefined) this.#needed.set(source, new Set([start]));
    else needed.add(start);
  }

  settle(source: Source, { known, complete, clear }: Known, diagnostics: Diagnostics): void {
    const { named, nameless, excessive } = this.#silences(source);
    for (const at of nameless) {
      diagnostics.add(
        "IVR743",
        at,
        "This comment does not say which rule to ignore.",
        "Write # ivrctl-ignore: RULE reason",
      );
    }
    for (const at of excessive) {
      diagnostics.add(
        "IVR130",
        at,
        `This comment ignores more than ${shownLimit("ignoredRules")} rules, so it ignores none.`,
        "Name the rules that matter here, or set them for the whole project under `rules:`.",
      );
    }
    for (const silence of named) {
      const { name, at } = silence;
      const decided = known.get(name);
      if (decided === undefined) {
        if (complete || !name.includes("/")) refuse(name, at, known.keys(), diagnostics);
      } else if (ruleNamed.get(name)?.fixed === true) {
        diagnostics.add(
          "IVR742",
          at,
          `\`${name}\` cannot be ignored: there would be nothing to send.`,
          "Remove the comment.",
        );
      } else if (decided && clear && !this.#isNeeded(at)) {
        diagnostics.add(
          "IVR744",
          at,
          `\`${name}\` finds nothing here that could be ignored.`,
          "Remove the comment, or put it on the line of the finding or right above.",
        );
      }
    }
  }

  #isNeeded({ source, start }: Span): boolean {
    return this.#needed.get(source)?.has(start) === true;
  }

  #byLine(source: Source): ReadonlyMap<string, readonly Silence[]> {
    let file = this.#lines.get(source);
    if (file === undefined) {
      const lines = new Map<string, Silence[]>();
      for (const silence of this.#silences(source).named) {
        const id = idOf(silence.line, silence.name);
        const own = lines.get(id);
        if (own === undefined) lines.set(id, [silence]);
        else own.push(silence);
      }
      file = lines;
      this.#lines.set(source, file);
    }
    return file;
  }

  #silences(source: Source): Silences {
    let silences = this.#files.get(source);
    if (silences === undefined) {
      silences = silencesIn(source);
      this.#files.set(source, silences);
    }
    return silences;
  }
}

function refuse(name: string, at: Span, known: Iterable<string>, diagnostics: Diagnostics): void {
  const rule = rules.find(({ code }) => code === name);
  if (rule === undefined && isCode(name)) {
    diagnostics.add("IVR743", at, `${name} is not found by a rule and cannot be ignored.`);
    return;
  }
  diagnostics.add(
    "IVR743",
    at,
    `There is no rule \`${shorten(name)}\` to ignore.`,
    didYouMean(rule === undefined ? nearest(name, known) : [rule.name]) ??
      "Write # ivrctl-ignore: RULE reason; docs/rules.md lists the rules.",
  );
}

function idOf(line: number, rule: string): string {
  return `${line} ${rule}`;
}
