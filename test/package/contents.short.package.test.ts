import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { createReadStream, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { publint } from "publint";
import { beforeAll, describe, expect, test } from "vitest";
import { exampleProject, start } from "../support/cli.ts";
import { type Packed, install, pack } from "../support/package.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

let packed: Packed;
/** A folder with the package in its node_modules. */
let installed: string;
beforeAll(() => {
  packed = pack();
  installed = install(packed);
});

const run = async (program: string, args: readonly string[], cwd = installed) =>
  start(program, args, { cwd }).finished;

describe("the package", () => {
  test("contains exactly the listed files", async () => {
    // The bundler chooses the names of chunks, and there may be more pages and schemas.
    const paths = packed.files.map(({ path }) =>
      path
        .replace(/^dist\/chunks\/[\w.-]+\.cjs$/, "dist/chunks/*.cjs")
        .replace(/^docs\/[\w-]+(\.\w+)$/, "docs/*$1")
        .replace(/^schema\/[\w-]+\.schema\.json$/, "schema/*.schema.json"),
    );
    const list = [...new Set(paths)].sort().join("\n");
    await expect(list).toMatchFileSnapshot("package-files.txt");
  });

  test("is small", () => {
    expect(packed.size).toBeLessThan(1_250_000);
    expect(packed.unpackedSize).toBeLessThan(4_600_000);
  });

  test("has no dependencies and no install scripts", () => {
    const manifest = JSON.parse(
      readFileSync(join(installed, "node_modules/ivrctl/package.json"), "utf8"),
    );
    for (const kind of ["dependencies", "optionalDependencies"])
      expect(manifest).not.toHaveProperty(kind);
    expect(Object.keys(manifest.peerDependencies)).toEqual(["@aws-sdk/client-s3", "pg"]);
    const optional = { optional: true };
    expect(manifest.peerDependenciesMeta).toEqual({
      "@aws-sdk/client-s3": optional,
      pg: optional,
    });
    for (const script of ["preinstall", "install", "postinstall", "prepare"])
      expect(manifest.scripts).not.toHaveProperty(script);
    expect(manifest.scripts.prepack).toBe("npm run build");
    const lock = JSON.parse(readFileSync(join(installed, "package-lock.json"), "utf8"));
    expect(Object.keys(lock.packages)).toEqual(["", "node_modules/ivrctl"]);
  });

  test("contains the license of every bundled library", () => {
    const page = readFileSync(
      join(installed, "node_modules/ivrctl/dist/THIRD-PARTY-LICENSES.txt"),
      "utf8",
    );
    const [, bundled = ""] = /^## Dependencies$(.*?)^## /ms.exec(read("CONTRIBUTING.md")) ?? [];
    const names = [...bundled.matchAll(/^\| ([\w-]+) \|/gm)].map(([, name]) => name);
    expect(names).toContain("undici");
    for (const name of names.filter((name) => name !== "package"))
      expect(page).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\([\\w.-]+\\)\\n\\n\\S`, "m"));
    // A dependency of a library, and a part of undici with its own license.
    expect(page).toMatch(/^get-east-asian-width \d/m);
    expect(page).toContain("Ethan Arrowood");
  });

  test("passes publint", async () => {
    const tarball = Readable.toWeb(createReadStream(packed.tarball));
    const { messages } = await publint({ pack: { tarball }, strict: true });
    expect(messages).toEqual([]);
  });

  test("has types that resolve in every mode", async () => {
    const data = createPackageFromTarballData(readFileSync(packed.tarball));
    const analysis = await checkPackage(data);
    expect(analysis.types).toEqual({ kind: "included" });
    const problems = "problems" in analysis ? analysis.problems : [];
    // Only an ES module, because every Node that `engines` allows can `require` one.
    expect(problems.map(({ kind }) => kind)).toEqual(["CJSResolvesToESM"]);
  });
});

describe("the installed command", () => {
  test("is found by npx", async () => {
    const { version } = JSON.parse(read("package.json"));
    expect(await run("npx", ["--no-install", "ivrctl", "--version"])).toMatchObject({
      exit: 0,
      stdout: `${version}\n`,
    });
  });

  test("validates, plans and applies", async () => {
    const cwd = exampleProject();
    const command = join(installed, "node_modules/.bin/ivrctl");
    expect(await run(command, ["validate"], cwd)).toEqual({
      exit: 0,
      stdout: "1 menu is valid for the environment sandbox.\n",
      stderr: "",
    });
    expect((await run(command, ["plan", "--detailed-exitcode"], cwd)).exit).toBe(2);
    expect((await run(command, ["apply", "--auto-approve"], cwd)).exit).toBe(0);
    expect((await run(command, ["plan", "--detailed-exitcode"], cwd)).exit).toBe(0);
  });
});

describe("the installed library", () => {
  const projectText = `{
  config: "version: 1\\nenvironments: { here: { service: sandbox } }\\ndefault_environment: here\\n",
  menus: { "ivrs/desk.yaml": "name: Desk\\n" },
  agents: [],
}`;

  test.each([
    ["import", "mjs", 'import { compile } from "ivrctl";'],
    ["require", "cjs", 'const { compile } = require("ivrctl");'],
  ])("can be loaded with %s", async (how, extension, line) => {
    const file = join(installed, `${how}.${extension}`);
    writeFileSync(
      file,
      `${line}\nconsole.log(compile(${projectText}).diagnostics.map(({ code }) => code).join());\n`,
    );
    const { exit, stdout, stderr } = await run(process.execPath, [file]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toMatch(/^IVR202/);
  });

  const tsc = join(root, "node_modules/.bin/tsc");
  const consumer = `import { compile, type Compiled, type Diagnostic, type Payload, type Severity } from "ivrctl";
const { payloads, diagnostics }: Compiled = compile(${projectText});
export const payload: Payload | undefined = payloads["desk"];
export const options: number | undefined = payload?.option.length;
export const severities: Severity[] = diagnostics.map(({ severity }: Diagnostic) => severity);
export const codes: string[] = diagnostics.map(({ code }) => code);
// @ts-expect-error -- menus are text
compile({ config: "", menus: { a: 1 }, agents: [] });
`;

  test.each([
    // Only this mode allows a CommonJS file to require an ES module.
    ["nodenext", "nodenext", ["mts", "cts"]],
    ["esnext", "bundler", ["ts"]],
  ])(
    "has types for --module %s --moduleResolution %s, in %j",
    async (module, resolution, endings) => {
      const files = endings.map((ending) => `consumer-${module}.${ending}`);
      for (const file of files) writeFileSync(join(installed, file), consumer);
      const options = ["--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2022"];
      const how = ["--types", "", "--module", module, "--moduleResolution", resolution];
      const { exit, stdout } = await run(tsc, [...options, ...how, ...files]);
      expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    },
  );

  test("exports its schemas", async () => {
    const line = 'console.log(require("ivrctl/schema/menu.schema.json").$schema)';
    expect(await run(process.execPath, ["-e", line])).toMatchObject({ exit: 0, stderr: "" });
  });
});
