import { join } from "node:path";
import { type Plugin, rolldown } from "rolldown";

const name = "virtual:preview-script";
const entry = join(import.meta.dirname, "../src/preview/browser/main.ts");

/** What runs in the browser, bundled by itself, is a text to what makes the page. */
export function previewScript() {
  return {
    name: "preview-script",
    resolveId: (source: string) => (source === name ? `\0${name}` : null),
    async load(id: string) {
      if (id !== `\0${name}`) return null;
      const build = await rolldown({ input: entry, platform: "browser" });
      const { output } = await build.generate({ format: "iife", minify: true });
      await build.close();
      const { code } = output[0];
      // It stands between two tags, which it must not end.
      if (/<\/script|<!--/i.test(code)) throw new Error("The script would end its own element.");
      return `export default ${JSON.stringify(code)};`;
    },
  } satisfies Plugin;
}
