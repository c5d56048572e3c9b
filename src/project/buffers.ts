import { Source } from "../diagnostics/source.ts";

/**
 * The texts of an editor, by their path in the project. They replace the files on disk. A text that
 * has not changed since it was read last stays the same object, so that everything made from it can
 * be reused.
 */
export class Buffers {
  readonly #texts = new Map<string, string>();
  readonly #sources = new Map<string, Source>();
  /** The files that were on disk since their text changed last. */
  readonly #onDisk = new Set<string>();

  get(file: string): string | undefined {
    return this.#texts.get(file);
  }

  /** Sets the text of a file. Without a text, the file on disk counts. */
  set(file: string, text: string | undefined): void {
    this.#onDisk.delete(file);
    if (text === undefined) this.#texts.delete(file);
    else this.#texts.set(file, text);
  }

  /**
   * The texts in a folder and its subfolders, like the entries of a folder on disk, whose names are
   * `onDisk`. A file that is not on disk any more was renamed or deleted, unless its text changed since.
   */
  entriesIn(folder: string, onDisk: ReadonlySet<string>) {
    return [...this.#texts.keys()].flatMap((file) => {
      if (!file.startsWith(`${folder}/`)) return [];
      const [name = "", below] = file.slice(folder.length + 1).split("/", 2);
      const isDirectory = () => below !== undefined;
      if (!isDirectory() && onDisk.has(name)) this.#onDisk.add(file);
      else if (this.#onDisk.has(file)) return [];
      return { name, isDirectory, isFile: () => !isDirectory(), isSymbolicLink: () => false };
    });
  }

  /** The source of a text, which may come from disk. */
  source(file: string, text: string): Source {
    const known = this.#sources.get(file);
    if (known?.text === text) return known;
    const source = new Source(file, text, "reused");
    this.#sources.set(file, source);
    return source;
  }
}
