import { join } from "node:path";
import { type Plugin, rolldown } from "rolldown";

const name = "virtual:preview-script";
const entry = join(import.meta.dirname, "../src/preview/browser/main.tsx");

/**
 * Bundles the browser script, and makes it available as a string to the code that writes the page. The
 * other plugins see its modules too.
 */
export function previewScript(plugins: readonly Plugin[]) {
  return {
    name: "preview-script",
    resolveId: (source: string) => (source === name ? `\0${name}` : null),
    async load(id: string) {
      if (id !== `\0${name}`) return null;
      const build = await rolldown({
        input: entry,
        platform: "browser",
        plugins: [...plugins],
      });
      const { output } = await build.generate({
        format: "iife",
        minify: true,
        comments: { legal: false, annotation: false, jsdoc: false },
      });
      await build.close();
      const { code } = output[0];
      // The script is inside a script element and must not close it.
      if (/<\/script|<!--/i.test(code)) throw new Error("The script would end its own element.");
      return `export default ${JSON.stringify(code)};`;
    },
  } satisfies Plugin;
}
