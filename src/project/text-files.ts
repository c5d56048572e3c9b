import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import type { FileLimit } from "../schema/limits.ts";
import { type Files, decodeUtf8, menuFolder } from "./files.ts";

/**
 * Texts by their path in a project. In an editor they replace the files below them. Then a text that
 * has not changed since it was read last stays the same object, so that everything made from it can
 * be reused.
 */
export class TextFiles implements Files {
  readonly #below: Files | undefined;
  #texts: ReadonlyMap<string, string | undefined>;
  readonly #sources = new Map<string, Source>();
  /** The texts whose files were below since the text changed last. */
  readonly #saved = new Set<string>();

  /** An undefined text is a file that is not there. */
  constructor(texts: Readonly<Record<string, string | undefined>>, below?: Files) {
    this.#below = below;
    this.#texts = new Map(Object.entries(texts));
  }

  /** Replaces all texts. Of other paths, the files below count. */
  replace(texts: ReadonlyMap<string, string>): void {
    for (const path of this.#saved) {
      if (texts.get(path) !== this.#texts.get(path)) this.#saved.delete(path);
    }
    this.#texts = texts;
  }

  has(path: string): boolean {
    return this.#texts.has(path)
      ? this.#texts.get(path) !== undefined
      : this.#below?.has(path) === true;
  }

  list(diagnostics: Diagnostics): readonly string[] {
    const below = new Set(this.#below?.list(diagnostics));
    // A file that is not below any more was renamed or deleted, unless its text changed since.
    const paths = [...this.#texts.keys()].filter((path) => {
      if (below.has(path)) this.#saved.add(path);
      return path.startsWith(`${menuFolder}/`) && !(this.#saved.has(path) && !below.has(path));
    });
    const isGone = (path: string) => this.#texts.has(path) && this.#texts.get(path) === undefined;
    return [...new Set([...below, ...paths])].filter((path) => !isGone(path));
  }

  read(path: string, limit: FileLimit, diagnostics: Diagnostics): Source | undefined {
    const text = this.#texts.get(path);
    if (text === undefined && this.#texts.has(path)) return undefined;
    const read =
      text === undefined
        ? this.#below?.read(path, limit, diagnostics)
        : decodeUtf8(path, Buffer.from(text), limit, diagnostics);
    if (read === undefined || read.isReused || this.#below === undefined) return read;
    const lastSource = this.#sources.get(path);
    if (lastSource?.text === read.text) return lastSource;
    const source = new Source(path, read.text, "reused");
    this.#sources.set(path, source);
    return source;
  }

  open(path: string): Source | undefined {
    return this.#texts.has(path) ? this.read(path, "yamlFile", new Diagnostics()) : undefined;
  }
}
