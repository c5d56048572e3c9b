import type { Plugin } from "rolldown";

const getter =
  /Object\.defineProperty\(exports, "([\w$]+)", \{\s*enumerable: true,\s*get: function \(\) \{\s*return ([\w$]+);\s*\}\s*\}\);/g;

/**
 * What a chunk gives to others as plain values, set once it has run, instead of by functions that
 * look it up: at every start there are hundreds. What may be given another value later keeps its own.
 */
export function plainExports(): Plugin {
  return {
    name: "plain-exports",
    renderChunk(code) {
      return code.replace(getter, (whole, name: string, local: string) =>
        isSetOnce(code, local) ? `exports.${name} = ${local};` : whole,
      );
    },
  };
}

function isSetOnce(code: string, local: string): boolean {
  const name = local.replaceAll("$", String.raw`\$`);
  const isFunction = new RegExp(String.raw`^(?:async )?function\*? ?${name}\(`, "m").test(code);
  const isVariable = new RegExp(`^var ${name} = `, "m").test(code);
  const set = code.match(
    new RegExp(String.raw`(?<![\w$.])${name}\s*(?:\+\+|--|[^\s\w=!<>(){}[\];,.]*=(?![=>]))`, "g"),
  );
  return (isFunction || isVariable) && (set?.length ?? 0) === (isVariable ? 1 : 0);
}
