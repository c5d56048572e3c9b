import fc from "fast-check";
import { expect, test } from "vitest";
import { PieceBlocks } from "../../src/cache/piece-blocks.ts";

test("pieces come back as they were put in, in their order, whatever their size and their letters", () => {
  const piece = fc.tuple(
    fc.string({ unit: "binary" }),
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.nat(400_000).map((size) => "€".repeat(size)),
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const blocks = new PieceBlocks();
      expect(blocks.isEmpty).toBe(true);
      for (const [name, value] of pieces) blocks.add(name, value);
      expect(blocks.isEmpty).toBe(pieces.length === 0);
      // Halves of letters stand for themselves in JSON.
      const read = blocks.entries().map(([name, bytes]) => [name, JSON.parse(bytes.toString())]);
      expect(read).toEqual(pieces);
    }),
    { numRuns: 50 },
  );
});
