import { once } from "node:events";
import { resolve } from "node:path";
import { readSnapshot } from "../project/agents-lock.ts";
import { DiskFiles, isFolder } from "../project/files.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { isLoopback } from "../util/address.ts";
import { operationNames } from "../schema/operations.ts";
import { quirkNames } from "../schema/trial-rows.ts";
import { toService } from "../sandbox/example-agents.ts";
import { readFaults } from "../sandbox/faults.ts";
import { prepareRecords } from "../sandbox/created-menus.ts";
import { type Sandbox, startSandbox } from "../sandbox/sandbox.ts";
import { requestText } from "../views/sandbox.ts";
import { many } from "../util/many.ts";
import { visible } from "../util/visible.ts";
import { command } from "../cli/command.ts";
import { UsageError } from "../util/usage-error.ts";
import { sandboxData } from "../deploy/service/connect.ts";
import { sandboxIn } from "../operations/sandbox-settings.ts";
import { portFlag, startError } from "../cli/port.ts";
import { Interruption } from "../util/interruption.ts";

const defaultPort = 4010;
const defaultHost = "127.0.0.1";

export default command({
  about:
    "Run the embedded sandbox service on a local port.\n\nAny HTTP client can use it. It creates menus and lists agents as the service's documentation describes. With --operations, it also reads, updates and deletes menus, and has phone numbers and users. A web page at / shows both. Nothing leaves this machine. Press Ctrl-C to stop it.",
  flags: {
    port: portFlag(defaultPort),
    host: {
      value: "ADDRESS",
      about: `Listen on this address (default: ${defaultHost}, only this machine)`,
    },
    data: {
      value: "FILE",
      conflicts: "memory",
      about: "Store menus in this file (default: .ivrctl/sandbox/records.jsonl)",
    },
    memory: { about: "Keep menus only in memory" },
    operations: {
      value: "LIST",
      list: operationNames,
      about: `Offer more operations: ${operationNames.join(", ")} (default: those of the environment, if its service is the sandbox)`,
    },
    fault: {
      multiple: true,
      value: "FAULT",
      about:
        "Answer requests that change something with a fault: cut (half an answer), silence (none) or an HTTP status, for some menus with :NAME (can be repeated)",
    },
    quirk: {
      value: "LIST",
      list: quirkNames,
      about: `Deviate from what ivrctl assumes about services, to try \`ivrctl trial\`: ${quirkNames.join(", ")} (default: those of the environment)`,
    },
  },
  examples: [
    [
      "ivrctl sandbox",
      `run it at http://${defaultHost}:${defaultPort}; menus are stored in .ivrctl/`,
    ],
    ["ivrctl sandbox --port 0 --memory", "in a pipeline: stdout has only the address"],
    ["ivrctl sandbox --fault 'cut:Night*' --fault 503:Sales", "see how a client handles faults"],
    ["ivrctl sandbox --operations list,update,numbers", "offer more than the specification"],
    ["ivrctl sandbox --quirk numbers,late", "a service that differs from the assumptions"],
  ],
  async run(context) {
    const { flags, root, globals, terminal } = context;
    const { host = defaultHost, port = defaultPort } = flags;
    const faults = readFaults(flags.fault);
    const diagnostics = new Diagnostics();
    const own = sandboxIn(context, diagnostics);
    const operations = flags.operations.length === 0 ? own.operations : flags.operations;
    const quirks = flags.quirk.length === 0 ? own.quirks : flags.quirk;
    if (!isFolder(root)) throw new UsageError(`There is no folder \`${root}\`.`);
    const agents = readSnapshot(new DiskFiles(root), globals.env, diagnostics)?.list;
    if (diagnostics.hasErrors) return { diagnostics: diagnostics.sorted() };
    const dataFile = flags.memory
      ? undefined
      : flags.data === undefined
        ? sandboxData(root)
        : resolve(root, flags.data);
    // Ctrl-C is the normal way to stop the sandbox.
    const { halt } = new Interruption(context.host, () => {});
    if (dataFile !== undefined) prepareRecords(dataFile);
    let sandbox: Sandbox;
    try {
      sandbox = await startSandbox({
        clock: context.host.clock,
        host,
        port,
        operations,
        quirks,
        faults,
        agents: agents && toService(agents),
        dataFile,
        onRequest: (request) => terminal.note(requestText(request, terminal.style)),
      });
    } catch (error) {
      throw startError(error, host, port);
    }
    if (!isLoopback(host)) {
      terminal.say(
        `${terminal.style("yellow", "warning")}: with --host ${visible(host)}, others on your network can open this sandbox and create menus in it. It accepts any token.\n`,
      );
    }
    terminal.out(`${sandbox.url}\n`);
    const stored =
      dataFile === undefined
        ? "only in memory; they are lost when the sandbox stops"
        : `${visible(dataFile)} (${many(sandbox.records.length, "menu")})`;
    const lines = [
      "The sandbox is running, and has a page at this address.",
      `  menus    ${stored}`,
      operations.length === 0 ? [] : `  offers   ${operations.join(", ")}`,
      quirks.length === 0 ? [] : `  quirks   ${quirks.join(", ")}`,
      flags.fault.length === 0 ? [] : `  faults   ${visible(flags.fault.join("; "))}`,
      "  token    any, in the header authorization: Bearer TOKEN",
      "Press Ctrl-C to stop it.",
    ];
    terminal.note(`${lines.flat().join("\n")}\n`);
    if (!halt.aborted) await once(halt, "abort");
    await sandbox.close();
    terminal.note("The sandbox has stopped.\n");
    // A wrapper may send a second signal, which would kill a process that is about to exit.
    await context.host.clock.sleep(200);
    return {};
  },
});
