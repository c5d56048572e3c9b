import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const folder = join(import.meta.dirname, "../../editors/vscode");
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const code = readdirSync(join(folder, "src"))
  .map((name) => readFileSync(join(folder, "src", name), "utf8"))
  .join("\n");

describe("the manifest of the extension", () => {
  test("starts nothing in a workspace that is not trusted", () => {
    expect(manifest.capabilities.untrustedWorkspaces.supported).toBe(false);
  });

  test("lets no workspace choose the program", () => {
    const { properties } = manifest.contributes.configuration;
    expect(Object.keys(properties)).toEqual(["ivrctl.command"]);
    expect(properties["ivrctl.command"].scope).toBe("machine");
  });

  test("has exactly the commands of the code", () => {
    const inCode = [...code.matchAll(/command\("(\w+)"|registerCommand\("ivrctl\.(\w+)"/g)].map(
      ([, name, other]) => `ivrctl.${name ?? other}`,
    );
    const names = manifest.contributes.commands.map(({ command }: { command: string }) => command);
    expect(names.sort()).toEqual(inCode.sort());
  });
});
