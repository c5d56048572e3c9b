import { hostname, userInfo } from "node:os";
import { Writable } from "node:stream";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Host, OutputStream } from "../util/host.ts";

export function realHost(cwd: string): Host {
  return {
    cwd,
    env: process.env,
    gitEnv: {},
    stdin: () => process.stdin,
    stdout: output(process.stdout),
    stderr: output(process.stderr),
    protocolOutput,
    clock: {
      now: () => new Date(),
      elapsed: () => performance.now(),
      sleep: (milliseconds, signal) => {
        const options = signal === undefined ? {} : { signal };
        // A timer takes at least a millisecond.
        return milliseconds === 0
          ? nextTurn(undefined, options)
          : sleep(milliseconds, undefined, options);
      },
      after: (milliseconds, act) => {
        const timer = setTimeout(act, milliseconds);
        return () => clearTimeout(timer);
      },
    },
    machine: {
      name: hostname(),
      pid: process.pid,
      nodeVersion: process.versions.node,
      user: () => userInfo().username,
      kill: (pid, signal) => void process.kill(pid, signal),
    },
    signals: process,
  };
}

function output(stream: NodeJS.WriteStream): OutputStream {
  // Without a listener, a closed stderr would stop the command.
  stream.on("error", () => {});
  return {
    write: (data) => void stream.write(data),
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      return stream.columns;
    },
  };
}

function protocolOutput(): Writable {
  const { stdout, stderr } = process;
  const send = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return new Writable({
    write: (chunk: Uint8Array, _, done) => void send(chunk, (error) => done(error)),
  });
}
