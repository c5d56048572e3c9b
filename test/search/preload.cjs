"use strict";
// Loaded into the real command by NODE_OPTIONS=--require. It counts the calls that change
// files under .ivrctl, and at call FAULT_AT it does FAULT_MODE:
//   kill-before, kill-after   kill -9 right before, or right after the call
//   kill-half                 half of the bytes of a write, then kill -9
//   power-cut                 after the call: what was not synced is lost, then kill -9; also at SIGUSR2
//   enospc                    half of the bytes of this write, and no write for FAULT_FOR ms
//   eio                       this sync fails, once
//   readonly                  from this call on, every change fails
// FAULT_CLOCK moves the clock by this number of milliseconds.

const fs = require("node:fs");

const mode = process.env.FAULT_MODE;
const at = Number(process.env.FAULT_AT ?? 0);
const lasts = Number(process.env.FAULT_FOR ?? 1500);
const clock = Number(process.env.FAULT_CLOCK ?? 0);

if (clock !== 0) {
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(RealDate.now() + clock);
      else super(...args);
    }
    static now() {
      return RealDate.now() + clock;
    }
  };
}

if (mode !== undefined) {
  const real = { ...fs };
  /** The open files: path, and the number of synced bytes. */
  const open = new Map();
  const synced = new Map();
  let calls = 0;
  let broken = false;
  let back = 0;

  const isOurs = (path) => typeof path === "string" && path.includes(".ivrctl");
  const die = () => {
    process.kill(process.pid, "SIGKILL");
    for (;;);
  };
  const refuse = (code) => Object.assign(new Error(`${code}: made to fail`), { code });
  const sizeOf = (path) => real.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const safe = (fd) => {
    const path = open.get(fd);
    if (path === undefined) return;
    synced.set(path, real.fstatSync(fd).size);
  };
  const cutPower = () => {
    for (const [path, size] of synced) {
      if (sizeOf(path) > size && real.statSync(path).isFile()) real.truncateSync(path, size);
    }
    die();
  };

  if (mode === "power-cut") process.on("SIGUSR2", cutPower);

  /** Handles one call of the kind `what`. `half` does half of a write. */
  const around = (what, act, half) => {
    calls += 1;
    const now = calls === at;
    if (broken && mode === "enospc" && what === "write" && performance.now() < back) {
      throw refuse("ENOSPC");
    }
    if (broken && mode === "readonly" && what !== "sync") throw refuse("EROFS");
    if (calls >= at) {
      if (mode === "readonly") {
        broken = true;
        if (what !== "sync") throw refuse("EROFS");
      }
      if (mode === "enospc" && what === "write" && !broken) {
        broken = true;
        back = performance.now() + lasts;
        return half(refuse("ENOSPC"));
      }
      if (mode === "eio" && what === "sync" && !broken) {
        broken = true;
        throw refuse("EIO");
      }
    }
    if (now && mode === "kill-before") die();
    if (now && mode === "kill-half") {
      if (what === "write") half(undefined);
      die();
    }
    const result = act();
    if (now && mode === "kill-after") die();
    if (now && mode === "power-cut") cutPower();
    return result;
  };

  fs.openSync = (path, flags, ...rest) => {
    const writes =
      typeof flags === "number" ? (flags & 3) !== 0 : flags !== "r" && flags !== undefined;
    const act = () => {
      const known = synced.has(path) ? synced.get(path) : sizeOf(path);
      const fd = real.openSync(path, flags, ...rest);
      if (isOurs(path)) {
        open.set(fd, path);
        if (writes) synced.set(path, known);
      }
      return fd;
    };
    return isOurs(path) && writes ? around("open", act) : act();
  };
  fs.closeSync = (fd) => {
    open.delete(fd);
    return real.closeSync(fd);
  };
  fs.writeSync = (fd, bytes, offset, length, ...rest) => {
    const act = () => real.writeSync(fd, bytes, offset, length, ...rest);
    if (!open.has(fd)) return act();
    const whole = length ?? bytes.length;
    return around("write", act, () => real.writeSync(fd, bytes, offset ?? 0, whole >> 1, ...rest));
  };
  fs.writeFileSync = (file, data, ...rest) => {
    const act = () => real.writeFileSync(file, data, ...rest);
    if (!open.has(file) && !isOurs(file)) return act();
    return around("write", act, (error) => {
      real.writeFileSync(file, data.slice(0, data.length >> 1), ...rest);
      if (error !== undefined) throw error;
    });
  };
  for (const name of ["fsyncSync", "fdatasyncSync"]) {
    fs[name] = (fd) => {
      const act = () => {
        real[name](fd);
        safe(fd);
      };
      return open.has(fd) ? around("sync", act) : act();
    };
  }
  for (const name of ["fsync", "fdatasync"]) {
    fs[name] = (fd, callback) => {
      if (!open.has(fd)) return real[name](fd, callback);
      calls += 1;
      const now = calls === at;
      if (mode === "eio" && calls >= at && !broken) {
        broken = true;
        setImmediate(() => callback(refuse("EIO")));
        return;
      }
      if (now && (mode === "kill-before" || mode === "kill-half")) die();
      real[name](fd, (error) => {
        if (error === null && open.has(fd)) safe(fd);
        if (now && mode === "kill-after") die();
        if (now && mode === "power-cut") cutPower();
        callback(error);
      });
    };
  }
  fs.ftruncateSync = (fd, ...rest) => {
    const act = () => {
      real.ftruncateSync(fd, ...rest);
      const path = open.get(fd);
      if (path !== undefined) synced.set(path, Math.min(synced.get(path) ?? 0, rest[0] ?? 0));
    };
    return open.has(fd) ? around("truncate", act) : act();
  };
  for (const name of ["renameSync", "linkSync", "copyFileSync"]) {
    fs[name] = (from, to, ...rest) => {
      const act = () => {
        real[name](from, to, ...rest);
        if (synced.has(from)) synced.set(to, synced.get(from));
        if (name === "renameSync") synced.delete(from);
      };
      return isOurs(to) ? around("name", act) : act();
    };
  }
  for (const name of ["rmSync", "unlinkSync", "mkdirSync"]) {
    fs[name] = (path, ...rest) => {
      const act = () => {
        const result = real[name](path, ...rest);
        if (name !== "mkdirSync") synced.delete(path);
        return result;
      };
      return isOurs(path) ? around("name", act) : act();
    };
  }
}
