import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, renameSync } from "node:fs";

/** A small disk for the files of a state. */
export class Disk {
  readonly #folder: string;
  /** In KiB. Undefined if it is not mounted. */
  #size: number | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get isMounted(): boolean {
    return this.#size !== undefined;
  }

  /** Mounts the disk with `size` KiB. Later calls can enlarge it. Returns whether it is mounted. */
  mount(size: number): boolean {
    try {
      mkdirSync(this.#folder, { recursive: true });
      const options = `${this.isMounted ? "remount," : ""}size=${size}k`;
      execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", this.#folder], {
        stdio: "ignore",
      });
      this.#size = size;
    } catch {
      // It takes root to mount a disk, and a disk cannot be made smaller than what is on it.
    }
    return this.isMounted;
  }

  /** Adds space for a process that waits for it. */
  enlarge(): void {
    if (this.#size !== undefined) this.mount(this.#size + 60);
  }

  /** With `keep`, copies its files to the folder. */
  unmount(keep: boolean): void {
    if (!this.isMounted) return;
    const aside = `${this.#folder}-kept`;
    if (keep) cpSync(this.#folder, aside, { recursive: true });
    execFileSync("umount", [this.#folder], { stdio: "ignore" });
    this.#size = undefined;
    if (keep) renameSync(aside, this.#folder);
  }
}
