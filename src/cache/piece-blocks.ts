const blockBytes = 1 << 20;
/** What a UTF-16 unit takes in UTF-8 at the most. */
const bytesPerUnit = 3;

/**
 * Pieces as they are made, one behind the other in large blocks. Beside them nothing is left
 * that the garbage collector would have to look at, or move, until the run ends.
 */
export class PieceBlocks {
  readonly #names: string[] = [];
  readonly #blocks: { readonly bytes: Buffer; readonly ends: number[] }[] = [];

  get isEmpty(): boolean {
    return this.#names.length === 0;
  }

  add(name: string, value: unknown): void {
    const json = JSON.stringify(value);
    const needed = json.length * bytesPerUnit;
    let block = this.#blocks.at(-1);
    if (block === undefined || block.bytes.length - (block.ends.at(-1) ?? 0) < needed) {
      block = { bytes: Buffer.allocUnsafeSlow(Math.max(blockBytes, needed)), ends: [] };
      this.#blocks.push(block);
    }
    const start = block.ends.at(-1) ?? 0;
    block.ends.push(start + block.bytes.write(json, start));
    this.#names.push(name);
  }

  /** In the order in which they were made. */
  entries(): [name: string, piece: Buffer][] {
    const pieces = this.#blocks.flatMap(({ bytes, ends }) =>
      ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)),
    );
    return this.#names.map((name, index) => [name, pieces[index] ?? Buffer.alloc(0)]);
  }
}
