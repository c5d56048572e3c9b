import { Evaluator, Lexer, Parser, data } from "@actions/expressions";
import type { FunctionDefinition } from "@actions/expressions/funcs/info";

/** The contexts that expressions can use. */
export type Contexts = Readonly<Record<string, unknown>>;

/** Replaces the `${{ }}` expressions in a text, as the runner does. */
export function interpolate(text: string, contexts: Contexts): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) =>
    evaluate(expression, contexts, "success").coerceString(),
  );
}

/** Evaluates an `if:`. Without a status function, it is true only if the job has not failed. */
export function holds(
  condition: string | undefined,
  contexts: Contexts,
  status: "success" | "failure" | "cancelled",
): boolean {
  const expression = (condition ?? "success()").replace(/^\$\{\{|\}\}$/g, "");
  const hasStatus = /\b(?:always|success|failure|cancelled)\(/.test(expression);
  const whole = hasStatus ? expression : `success() && (${expression})`;
  const value = evaluate(whole, contexts, status);
  return value.kind === data.Kind.Boolean ? value.value : value.coerceString() !== "";
}

function evaluate(expression: string, contexts: Contexts, status: string) {
  const statuses = {
    always: true,
    success: false,
    failure: false,
    cancelled: false,
    [status]: true,
  };
  const functions = new Map<string, FunctionDefinition>(
    Object.entries(statuses).map(([name, holds]) => [
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
