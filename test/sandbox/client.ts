import { request } from "node:http";
import { onTestFinished } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";
import { clock } from "../support/host.ts";
import { payload as valid } from "../support/import.ts";

/** Starts a sandbox that stops when the test ends. */
export async function sandboxFor(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ clock, ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

export function payload(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { ...valid, ...fields };
}

interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

export interface Answered {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** Sends one request on its own connection. Rejects if the answer is not complete. */
export async function call(url: string, options: Call = {}): Promise<Answered> {
  const { method = "POST", path = "/v1/ivr", headers, body } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}${path}`,
      {
        method,
        agent: false,
        headers: { authorization: "Bearer t", "content-type": "application/json", ...headers },
      },
      (response) => {
        let text = "";
        response
          .setEncoding("utf8")
          .on("data", (chunk: string) => (text += chunk))
          .on("error", reject)
          .on("end", () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          );
      },
    );
    sent.on("error", reject).end(body);
  });
}

export async function create(url: string, fields: Record<string, unknown> = {}): Promise<Answered> {
  return call(url, { body: JSON.stringify(payload(fields)) });
}

/** How a request ended: its status, or the code of the error. */
export async function ending(answered: Promise<Answered>): Promise<number | string> {
  try {
    return (await answered).status;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}
