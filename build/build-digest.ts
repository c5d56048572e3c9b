import { createHash } from "node:crypto";
import type { Plugin } from "rolldown";

const placeholder = "{{digest of the build}}";

/** Tells the code which build it is part of: by a digest of all of it, libraries included. */
export function buildDigest(): Plugin {
  return {
    name: "build-digest",
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
      const sum = createHash("sha256");
      chunks.sort((a, b) => (a.fileName < b.fileName ? -1 : 1));
      for (const { fileName, code } of chunks) sum.update(`${fileName}\n${code}\n`);
      const digest = sum.digest("hex");
      const holders = chunks.filter(({ code }) => code.includes(placeholder));
      if (holders.length === 0) this.error("Nothing asks which build it is part of.");
      for (const chunk of holders) chunk.code = chunk.code.replaceAll(placeholder, digest);
    },
  };
}
