import { Source } from "../diagnostics/source.ts";

/**
 * The texts of an editor, by their path in the project. They replace the files on disk. A text that
 * has not changed since it was read last stays the same object, so that everything made from it can
 * be reused.
 */
export class Buffers {
  readonly #texts = new Map<string, string>();
  readonly #sources = new Map<string, Source>();

  get(file: string): string | undefined {
    return this.#texts.get(file);
  }

  /** Sets the text of a file. Without a text, the file on disk counts. */
  set(file: string, text: string | undefined): void {
    if (text === undefined) this.#texts.delete(file);
    else this.#texts.set(file, text);
  }

  /** The names of the texts in a folder, without those in its subfolders. */
  namesIn(folder: string): string[] {
    return [...this.#texts.keys()].flatMap((file) => {
      const name = file.slice(folder.length + 1);
      return file === `${folder}/${name}` && !name.includes("/") ? name : [];
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
