import fc from "fast-check";

const surrogates = { from: 0xd800, count: 0x800 };

/**
 * Any character except surrogates, as `unit: "binary"` of `fc.string`. That one builds a map of all
 * characters, which takes a second and 100 MB.
 */
export const character = fc.nat({ max: 0x10ffff - surrogates.count }).map(
  (index) => String.fromCodePoint(index < surrogates.from ? index : index + surrogates.count),
  (value) => {
    const [point, ...rest] = Array.from(String(value), (char) => char.codePointAt(0));
    if (point === undefined || rest.length > 0) throw new Error("not one character");
    return point < surrogates.from ? point : point - surrogates.count;
  },
);
