import type { IncomingMessage, ServerResponse } from "node:http";
import { type Answer, json } from "./answer.ts";
import { type FinalFault, createsMenu } from "./faults.ts";

const lingerMs = 1000;
const lingerBytes = 1024 * 1024;

/** What the client saw of it. */
export interface Seen {
  readonly status: number | null;
  readonly outcome: string;
}

/** Plays a fault instead of the answer; `proceed` does what the request asks for. */
export async function playFault(
  fault: FinalFault,
  request: IncomingMessage,
  response: ServerResponse,
  proceed: () => Promise<Answer>,
): Promise<Seen> {
  let outcome = "nothing was done";
  // The agent list has nothing to create: what is broken there is the list itself.
  let answer = json(200, { Success: true, Message: "IVR created successfully" }, outcome);
  if (createsMenu(fault) || request.method === "GET") {
    answer = await proceed();
    outcome = answer.outcome;
    // What the service would not do, no fault can pretend to have done.
    if (answer.status !== 200) return send(answer, request, response);
  }
  switch (fault.kind) {
    case "status":
      return send(statusAnswer(fault, outcome), request, response);
    case "not-created":
      return send(
        json(200, { Success: false, Message: "IVR could not be created" }, outcome),
        request,
        response,
      );
    case "garbage":
      return send({ ...answer, body: "OK <<>>", outcome }, request, response);
    case "html":
      return send(proxyPage(fault.status ?? 502, outcome), request, response);
    case "silence":
      return { status: null, outcome };
    case "cut":
      sendHalf(answer, response, () => request.socket.end());
      return { status: answer.status, outcome };
    case "reset":
      if (fault.when === "answer") {
        sendHalf(answer, response, () => reset(request));
        return { status: answer.status, outcome };
      }
      reset(request);
      return { status: null, outcome };
  }
}

export function reset(request: IncomingMessage): void {
  request.socket.resetAndDestroy();
}

/** An answer in full. */
export function send(answer: Answer, request: IncomingMessage, response: ServerResponse): Seen {
  const { status, outcome } = answer;
  const body = Buffer.from(answer.body);
  const unread = hasBody(request) && !request.complete;
  response.writeHead(status, {
    ...answer.headers,
    "content-length": body.length,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(unread ? { connection: "close" } : {}),
  });
  if (!unread || request.method === "HEAD") response.end(body);
  else {
    response.write(body);
    linger(request, () => response.end());
  }
  return { status, outcome };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * A connection that is closed while the client still sends takes the answer
 * with it: what else comes is thrown away, within bounds, before the end.
 */
function linger(request: IncomingMessage, end: () => void): void {
  let size = 0;
  const timer = setTimeout(end, lingerMs);
  const stop = () => {
    clearTimeout(timer);
    end();
  };
  request
    .on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > lingerBytes) stop();
    })
    .on("end", stop)
    .on("close", stop)
    .on("error", stop);
}

function sendHalf(answer: Answer, response: ServerResponse, end: () => void): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, "content-length": body.length });
  // The half must have left: a reset overtakes what is still on its way.
  response.write(body.subarray(0, body.length >> 1), () => setTimeout(end, 20));
}

function statusAnswer(
  { status, body, success, message, retryAfter }: FinalFault & { readonly kind: "status" },
  outcome: string,
): Answer {
  const made = {
    ...(success === "none" ? {} : { Success: success ?? false }),
    Message: message ?? `The sandbox was asked to answer ${status}`,
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
