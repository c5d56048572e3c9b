import { Evaluator, Lexer, Parser, data } from "@actions/expressions";
import type { FunctionDefinition } from "@actions/expressions/funcs/info";

/** What expressions may look at. */
export type Contexts = Readonly<Record<string, unknown>>;

/** Text with `${{ }}` in it, as the runner reads it. */
export function interpolate(text: string, contexts: Contexts): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) =>
    evaluate(expression, contexts, "success").coerceString(),
  );
}

/** An `if:`; without a word about the status, it is for a job that goes well. */
export function holds(
  condition: string | undefined,
  contexts: Contexts,
  status: "success" | "failure" | "cancelled",
): boolean {
  const expression = (condition ?? "success()").replace(/^\$\{\{|\}\}$/g, "");
  const tells = /\b(?:always|success|failure|cancelled)\(/.test(expression);
  const whole = tells ? expression : `success() && (${expression})`;
  const value = evaluate(whole, contexts, status);
  return value.kind === data.Kind.Boolean ? value.value : value.coerceString() !== "";
}

function evaluate(expression: string, contexts: Contexts, status: string) {
  const told = { always: true, success: false, failure: false, cancelled: false, [status]: true };
  const functions = new Map<string, FunctionDefinition>(
    Object.entries(told).map(([name, holds]) => [
      name,
      { name, minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(holds) },
    ]),
  );
  const { tokens } = new Lexer(expression).lex();
  const known = Object.keys(contexts);
  const tree = new Parser(tokens, known, [...functions.values()]).parse();
  const context = JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary;
  return new Evaluator(tree, context, functions).evaluate();
}
