import * as z from "zod/mini";
import { Agents } from "../compile/agents.ts";
import type { Basis, Cache, Memory, Opened } from "../compile/memory.ts";
import { readAgentList } from "../compile/read/agent-list.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { basisName, layoutName } from "./basis.ts";
import { LayoutMemory } from "./layout-memory.ts";
import { type Pack, pack, unpack } from "./pack.ts";
import { MenuMemory } from "./menu-memory.ts";

/** Where packs are kept. Neither fails: what cannot be read is not there. */
export interface Packs {
  read(name: string): Buffer | undefined;
  write(name: string, parts: readonly Buffer[]): void;
}

/** A pack for each basis that menus have been compiled on. */
export class ProjectCache implements Cache {
  readonly #packs: Packs;
  readonly #build: string;
  readonly #opened: { readonly name: string; news(): Pack | undefined }[] = [];

  /** `build` is another for every change of ivrctl itself. */
  constructor(packs: Packs, build: string) {
    this.#packs = packs;
    this.#build = build;
  }

  open(basis: Basis): Opened | undefined {
    const name = basisName(basis, this.#build);
    if (name === undefined) return undefined;
    const opened = new OpenedPack(name, basis, this.#unpacked(name));
    this.#opened.push(opened);
    return opened;
  }

  /** What is known of layouts. */
  layouts(): LayoutMemory {
    const name = layoutName(this.#build);
    const memory = new LayoutMemory(this.#unpacked(name)?.pieces ?? new Map());
    const news = () => {
      const pieces = memory.news();
      return pieces && { head: null, pieces };
    };
    this.#opened.push({ name, news });
    return memory;
  }

  /** Keeps what is new. */
  save(): void {
    for (const opened of this.#opened) {
      const pieces = opened.news();
      if (pieces !== undefined) this.#packs.write(opened.name, pack(pieces));
    }
  }

  #unpacked(name: string): Pack | undefined {
    const bytes = this.#packs.read(name);
    return bytes && unpack(bytes);
  }
}

const Head = z.object({ pulledAt: z.nullable(z.string()) });

class OpenedPack implements Opened {
  readonly name: string;
  readonly agents: Agents | undefined;
  readonly #basis: Basis;
  readonly #pieces: Pack["pieces"];
  #pulledAt: Date | undefined;
  #memory: MenuMemory | undefined;

  constructor(name: string, basis: Basis, found: Pack | undefined) {
    this.name = name;
    this.#basis = basis;
    const head = Head.safeParse(found?.head);
    this.#pieces = found !== undefined && head.success ? found.pieces : new Map();
    // A pack is made of sound lists only, and this one is of this very text.
    if (head.success) this.agents = agentsLater(basis.agents, head.data.pulledAt);
  }

  memory(agents: Agents | undefined): Memory {
    this.#pulledAt = agents?.pulledAt;
    this.#memory = new MenuMemory(this.#pieces, { ...this.#basis, agents });
    return this.#memory;
  }

  /** The whole pack anew, where there is something to add. */
  news(): Pack | undefined {
    const pieces = this.#memory?.news();
    return pieces && { head: { pulledAt: this.#pulledAt?.toISOString() ?? null }, pieces };
  }
}

function agentsLater(list: Basis["agents"], pulledAt: string | null): Agents | undefined {
  if (!(list instanceof Source)) return undefined;
  const read = () => {
    const agents = readAgentList(list, new Diagnostics());
    if (agents === undefined) throw new Error(`${list.file} is not what it was a moment ago`);
    return agents.listed;
  };
  return new Agents(read, pulledAt === null ? undefined : new Date(pulledAt));
}
