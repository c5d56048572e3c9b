import * as z from "zod/mini";
import { parseJson } from "../../util/parse-json.ts";
import type { Received } from "./exchange.ts";
import { clean } from "./lists.ts";
import { answerIn } from "./outcome.ts";

/**
 * What a service says about a recording that it makes. Nobody documents how a failure looks, so nothing is
 * taken for one: `refused` only ends the waiting, and a person decides.
 */
export type Batch =
  | { readonly kind: "ready"; readonly id: string }
  | { readonly kind: "waiting" | "refused"; readonly message: string };

const id = z.pipe(z.union([z.string().check(z.minLength(1)), z.int()]), z.transform(String));
const hidden = z.catch(z.optional(id), undefined);
const Answer = z.looseObject({ batch_id: hidden, recording_id: hidden });

function fieldsOf(result: Received): z.infer<typeof Answer> {
  const text = result.phase === "answered" ? result.text() : undefined;
  const value: unknown = text === undefined ? undefined : parseJson(text);
  const inner: unknown = Object(value).data ?? value;
  return { ...Answer.safeParse(inner).data, ...Answer.safeParse(value).data };
}

/** What the answer to a request for a recording says that the service is asked with later. */
export function batchIn(result: Received): string | undefined {
  return fieldsOf(result).batch_id;
}

export function readBatch(result: Received): Batch {
  if (result.phase !== "answered") return { kind: "waiting", message: clean(result.detail) };
  const { status } = result;
  const answer = answerIn(parseJson(result.text() ?? ""));
  const message = clean(answer.message ?? `HTTP ${status}`);
  const isRefused = answer.kind === "object" && answer.hasSuccess && answer.success === false;
  if (status >= 200 && status < 300 && !isRefused) {
    const recording = fieldsOf(result).recording_id;
    return recording === undefined
      ? { kind: "waiting", message }
      : { kind: "ready", id: recording };
  }
  const mayPass = status === 408 || status === 429 || status >= 500;
  return { kind: mayPass && !isRefused ? "waiting" : "refused", message };
}
