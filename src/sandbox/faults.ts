import type { IncomingMessage, ServerResponse } from "node:http";
import { globPattern } from "../util/glob.ts";
import { UsageError } from "../util/usage-error.ts";
import type { Account } from "./account.ts";
import { type Answer, type SeenAnswer, refusedAnswer, send, sendHalf } from "./http.ts";

/** A request that the sandbox is about to answer. */
export interface Exchange {
  /** The name of the menu, or the phone number. */
  readonly name: string | null;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What the service has now. */
  readonly account: Account;
  /** Does what the request asks for. A list shows `account`, or what the service has now. */
  readonly proceed: (account?: Account) => Answer;
}

/** Answers requests in place of the sandbox. */
export interface Faults {
  /** The faults in force, for the page. */
  readonly words: readonly string[];
  answer(exchange: Exchange): Promise<SeenAnswer>;
  /** Called when the sandbox closes. */
  stop?(): void;
}

/** A fault of `--fault`: what happens, and the names of the menus that it happens to. */
interface Fault {
  readonly text: string;
  readonly kind: "cut" | "silence" | number;
  readonly name: RegExp | undefined;
}

/** Reads the faults of the command line: `cut`, `silence:Front*`, `503:Night`. Throws at an invalid one. */
export function readFaults(texts: readonly string[]): Faults {
  const faults = texts.map(readFault);
  return {
    words: texts,
    async answer(exchange) {
      const { request, response, name } = exchange;
      const fault = faults.find(({ name: pattern }) => pattern?.test(name ?? "") ?? true);
      if (fault === undefined || request.method === "GET")
        return send(exchange.proceed(), response);
      return { ...simulate(fault, exchange), fault: fault.text };
    },
  };
}

function readFault(text: string): Fault {
  const [, kind = "", name] = /^(cut|silence|[2-5]\d\d)(?::(.+))?$/s.exec(text) ?? [];
  if (kind === "") {
    throw new UsageError(
      `\`--fault\` does not accept \`${text}\`. Write \`cut\`, \`silence\` or an HTTP status from 200 to 599, and \`:NAME\` for some menus only: \`503:Front*\`.`,
    );
  }
  return {
    text,
    kind: kind === "cut" || kind === "silence" ? kind : Number(kind),
    name: name === undefined ? undefined : globPattern(name),
  };
}

/** With `cut`, the service does what the request asks for. With the others it does not. */
function simulate({ kind }: Fault, { request, response, proceed }: Exchange): SeenAnswer {
  if (kind === "silence") return { status: null, outcome: "not processed" };
  if (kind !== "cut") return send(refusedAnswer(kind, "Fault simulated by the sandbox"), response);
  const answer = proceed();
  // A refused request stays refused: half of a refusal would say nothing new.
  if (answer.status !== 200) return send(answer, response);
  return sendHalf(answer, response, () => request.socket.end());
}
