import { EventEmitter } from "node:events";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Host, OutputStream } from "../util/host.ts";
import { UsageError } from "../util/usage-error.ts";
import { version } from "../util/version.ts";
import { type Tool, type ToolInput, commandLine, inputSchema } from "./tool.ts";

/** What the tools work with. */
interface Place {
  readonly root: string;
  /** The environment of a call that names none. */
  readonly env: string | undefined;
  readonly host: Host;
  readonly run: (argv: readonly string[], host: Host) => Promise<number>;
}

const maxMessageBytes = 1024 * 1024;

const instructions =
  "Check every change of a menu: `validate`, then `test`, then `diff`, which says in callers' words what changes. These tools only read. A person runs `ivrctl apply` and everything else that changes the state or the service.";

/** Serves the tools until the client ends the connection. Returns why the connection is of no use, if it is. */
export function serve(tools: readonly Tool[], place: Place): Promise<string | undefined> {
  const { host } = place;
  let last: Promise<unknown> = Promise.resolve();
  const transport = new StdioServerTransport(host.stdin(), host.protocolOutput(), {
    maxBufferSize: maxMessageBytes,
  });
  let problem: string | undefined;
  const factory = () => {
    const server = new McpServer({ name: "ivrctl", version }, { instructions });
    for (const tool of tools) {
      const about = {
        description: `Runs \`ivrctl ${tool.words.join(" ")}\`. ${tool.command.about}`,
        inputSchema: inputSchema(tool),
        annotations: { readOnlyHint: true, openWorldHint: false },
      };
      // One after the other, because commands were written for a process of their own.
      server.registerTool(tool.name, about, (input) => {
        const done = last.then(() => callTool(tool, input, place));
        last = done;
        return done;
      });
    }
    return server;
  };
  return new Promise((resolve) => {
    serveStdio(factory, {
      transport,
      onerror: ({ message }) => {
        problem = /exceeded maximum size/.test(message)
          ? "A message of the coding agent is longer than 1 MiB."
          : undefined;
      },
    });
    const close = transport.onclose;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the transport has no events
    transport.onclose = () => {
      close?.();
      // A command that runs may still use the project.
      void last.then(() => resolve(problem));
    };
  });
}

/** Runs the command of a tool, with the output in memory and without a person to ask. */
async function callTool(tool: Tool, input: ToolInput, { root, env, host, run }: Place) {
  const stdout = new Captured();
  const stderr = new Captured();
  let exit = 1;
  try {
    const argv = commandLine(tool, { ...(env !== undefined && { env }), ...input }, root);
    exit = await run(argv, {
      ...host,
      cwd: root,
      env: { ...host.env },
      signals: new EventEmitter(),
      stdout,
      stderr,
    });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    stderr.write(error.message);
  }
  const texts = [stdout.text, stderr.text].filter((text) => text !== "");
  return {
    content: [...texts, `Exit code: ${exit}`].map((text) => ({ type: "text" as const, text })),
    isError: exit !== 0,
  };
}

/** Keeps what a command prints. */
class Captured implements OutputStream {
  readonly isTTY = false;
  readonly columns = undefined;
  text = "";

  write(data: string | Uint8Array): void {
    this.text += typeof data === "string" ? data : Buffer.from(data).toString();
  }
}
