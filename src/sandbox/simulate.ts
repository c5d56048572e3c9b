import type { IncomingMessage, ServerResponse } from "node:http";
import { type Answer, type SeenAnswer, created, json, reset, send, sendHalf } from "./answer.ts";
import { type FinalFault, type StatusFault, isCarriedOut } from "./faults.ts";
import type { Clock } from "../util/host.ts";

/** Simulates a fault instead of the answer. `proceed` does what the request asks for. */
export async function simulateFault(
  fault: FinalFault,
  request: IncomingMessage,
  response: ServerResponse,
  clock: Clock,
  proceed: () => Promise<Answer>,
): Promise<SeenAnswer> {
  let answer: Answer = { ...created(), outcome: "not processed" };
  // A request for a list changes nothing. The fault changes the list itself.
  if (isCarriedOut(fault) || request.method === "GET") {
    answer = await proceed();
    // A refused request stays refused: a fault must not report success for it.
    if (answer.status !== 200) return send(answer, request, response, clock);
  }
  const { outcome } = answer;
  switch (fault.kind) {
    case "status":
      return send(statusAnswer(fault, outcome), request, response, clock);
    case "not-created":
      return send(
        json(200, { Success: false, Message: `IVR could not be ${undone(request)}` }, outcome),
        request,
        response,
        clock,
      );
    case "garbage":
      return send({ ...answer, body: "OK <<>>" }, request, response, clock);
    case "html":
      return send(proxyPage(fault.status ?? 502, outcome), request, response, clock);
    case "silence":
      return { status: null, outcome };
    case "cut":
      sendHalf(answer, response, clock, () => request.socket.end());
      return answer;
    case "reset":
      if (fault.when === "answer") {
        sendHalf(answer, response, clock, () => reset(request));
        return answer;
      }
      reset(request);
      return { status: null, outcome };
  }
}

function undone({ method }: IncomingMessage): string {
  return method === "POST" ? "created" : method === "DELETE" ? "deleted" : "updated";
}

function statusAnswer(
  { status, body, success, message, retryAfter }: StatusFault,
  outcome: string,
): Answer {
  const made = {
    ...(success === "none" ? {} : { Success: success ?? false }),
    Message: message ?? `Fault simulated by the sandbox`,
  };
  const headers = retryAfter === undefined ? undefined : { "retry-after": retryAfter };
  return json(status, body === undefined ? made : body, outcome, headers);
}

function proxyPage(status: number, outcome: string): Answer {
  return {
    status,
    headers: { "content-type": "text/html" },
    body: `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center><hr><center>proxy</center></body></html>\n`,
    outcome,
  };
}
