import type { Plugin } from "rolldown";
import { Visitor, parseSync } from "rolldown/utils";

/**
 * Puts texts in quotes where the minifier leaves them between backticks: V8 reads those sign by
 * sign, and there are 3,000 of them at every start.
 */
export function plainStrings(): Plugin {
  return {
    name: "plain-strings",
    generateBundle(_, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type === "chunk") output.code = withQuotes(output.code);
      }
    },
  };
}

function withQuotes(code: string): string {
  const ends: number[] = [];
  const tagged = new Set<number>();
  new Visitor({
    TaggedTemplateExpression({ quasi }) {
      tagged.add(quasi.start);
    },
    TemplateLiteral({ start, end, expressions }) {
      if (expressions.length > 0 || tagged.has(start)) return;
      // What would have to be written otherwise between quotes is rare, and stays.
      if (!/["\\\n]/.test(code.slice(start, end))) ends.push(start, end - 1);
    },
  }).visit(parseSync("chunk.cjs", code).program);
  let [quoted, done] = ["", 0];
  for (const end of ends.sort((a, b) => a - b)) {
    quoted += `${code.slice(done, end)}"`;
    done = end + 1;
  }
  return quoted + code.slice(done);
}
