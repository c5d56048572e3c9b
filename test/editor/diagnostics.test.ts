import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Diagnostic,
  DiagnosticSeverity,
  DidChangeWatchedFilesNotification,
  DidOpenTextDocumentNotification,
  DocumentSymbolRequest,
  FileChangeType,
} from "vscode-languageserver/node";
import { exampleProject, folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { startEditor } from "../support/editor.ts";
import { menu, token } from "../support/project.ts";

const example = "ivrs/example.yaml";

function firstLine(message: Diagnostic["message"]): string {
  return (typeof message === "string" ? message : message.value).split("\n")[0] ?? "";
}

/** The problems of a file: `LINE:COLUMN-LINE:COLUMN CODE`, from 0. */
async function places(editor: Awaited<ReturnType<typeof startEditor>>, file: string) {
  const found = (await editor.problems(file)).get(editor.uriOf(file)) ?? [];
  return found.map(({ range: { start, end }, code }) => {
    const [from, to] = [start, end].map(({ line, character }) => `${line}:${character}`);
    return `${from}-${to} ${code}`;
  });
}

describe("diagnostics", () => {
  test("are those of validate", async () => {
    const root = exampleProject({
      "ivrs/a.yaml": menu("Front desk", "Asha Ro"),
      "ivrs/b.yaml": "name: [\n",
      "ivrs/c.test.yaml": "tests: []\n",
    });
    const { stdout } = await ivrctl(["validate", "--format", "json"], { cwd: root });
    const expected = JSON.parse(stdout).diagnostics.map(
      (diagnostic: Record<string, string | number>) =>
        `${diagnostic["file"]}:${diagnostic["line"]}:${diagnostic["column"]} ${diagnostic["code"]} ${diagnostic["message"]}`,
    );
    const editor = await startEditor(root);
    await editor.type(example);
    const found = [...(await editor.problems(example))].flatMap(([uri, problems]) =>
      problems.map(({ range: { start }, code, message }) => {
        const file = uri.slice(editor.uriOf("/").length);
        return `${file}:${start.line + 1}:${start.character + 1} ${code} ${firstLine(message)}`;
      }),
    );
    expect(expected.length).toBeGreaterThan(3);
    expect(found.sort()).toEqual(expected.sort());
  });

  test("have a code, a severity and a hint", async () => {
    const root = exampleProject({ "ivrs/a.yaml": menu("A", "Meera Joshi, 2: Asha Ro") });
    const editor = await startEditor(root);
    await editor.type("ivrs/a.yaml");
    const found = (await editor.problems("ivrs/a.yaml")).get(editor.uriOf("ivrs/a.yaml"));
    expect(found).toMatchObject([
      {
        code: "IVR703",
        severity: DiagnosticSeverity.Warning,
        source: "ivrctl zero-not-operator",
      },
      {
        code: "IVR304",
        severity: DiagnosticSeverity.Error,
        source: "ivrctl blocked-agent",
      },
      {
        code: "IVR301",
        severity: DiagnosticSeverity.Error,
        source: "ivrctl",
        message: "No agent is called `Asha Ro`.\nDid you mean `Asha Rao`?",
      },
    ]);
  });

  test("follow unsaved texts across files, and name the other place", async () => {
    const root = exampleProject({ "ivrs/a.yaml": menu("A"), "ivrs/b.yaml": menu("B") });
    const editor = await startEditor(root);
    await editor.type("ivrs/b.yaml");
    await editor.type("ivrs/a.yaml", `# first\n${menu("B")}`);
    const found = (await editor.problems("ivrs/b.yaml")).get(editor.uriOf("ivrs/b.yaml")) ?? [];
    const clash = found.find(({ code }) => code === "IVR213");
    expect(clash?.relatedInformation).toEqual([
      {
        message: "The other place.",
        location: {
          uri: editor.uriOf("ivrs/a.yaml"),
          range: { start: { line: 1, character: 6 }, end: { line: 1, character: 7 } },
        },
      },
    ]);
    await editor.type("ivrs/a.yaml", menu("A"));
    expect(await places(editor, "ivrs/b.yaml")).not.toContainEqual(expect.stringMatching("IVR213"));
  });

  test("skip the texts before the last one of fast typing", async () => {
    const editor = await startEditor(exampleProject({ "ivrs/a.yaml": menu("A") }));
    const uri = editor.uriOf("ivrs/a.yaml");
    const checked: string[] = [];
    const last = editor.published(uri, (problems) => {
      checked.push(...problems.map(({ message }) => firstLine(message)));
      return checked.includes("No agent is called `Nobody 20`.");
    });
    const names = Array.from({ length: 20 }, (_, index) => `Nobody ${index + 1}`);
    await Promise.all(names.map((name) => editor.type("ivrs/a.yaml", menu("A", name))));
    await last;
    expect(new Set(checked).size).toBeLessThan(10);
  });

  test("name the menus that a default affects, and the text that a variable is in", async () => {
    const root = exampleProject({
      "ivrs/shops/_defaults.yaml": menu("Shop {{shop}}", "'{{agent}}'").replace(
        "retries: 2",
        "retries: x",
      ),
      "ivrs/shops/a.yaml": "vars: { shop: A, agent: Nobody }\n",
    });
    const editor = await startEditor(root);
    await editor.type("ivrs/shops/a.yaml");
    const found = await editor.problems("ivrs/shops/a.yaml");
    const [inDefaults] = found.get(editor.uriOf("ivrs/shops/_defaults.yaml")) ?? [];
    expect(inDefaults?.relatedInformation).toMatchObject([
      {
        message: "Affects the menu shops/a.",
        location: { uri: editor.uriOf("ivrs/shops/a.yaml") },
      },
    ]);
    const nobody = found
      .get(editor.uriOf("ivrs/shops/a.yaml"))
      ?.find(({ code }) => code === "IVR301");
    expect(nobody?.relatedInformation).toMatchObject([
      {
        message: "The text is at ivrs/shops/_defaults.yaml:4.",
        location: {
          uri: editor.uriOf("ivrs/shops/_defaults.yaml"),
          range: { start: { line: 3, character: 14 } },
        },
      },
    ]);
  });

  test("count UTF-16 units, in every kind of text", async () => {
    const text = menu("😀 Jose\u0301", "अनिल 😀");
    const root = exampleProject({ "ivrs/a.yaml": text });
    const editor = await startEditor(root);
    await editor.type("ivrs/a.yaml");
    const expected = `3:14-3:${14 + "अनिल 😀".length} IVR301`;
    expect(await places(editor, "ivrs/a.yaml")).toContain(expected);
    // The same with the line endings of Windows, and in the second document of a file.
    await editor.type("ivrs/a.yaml", text.replaceAll("\n", "\r\n"));
    expect(await places(editor, "ivrs/a.yaml")).toContain(expected);
    await editor.type("ivrs/a.yaml", `id: one\n${menu("One 😀")}---\nid: two\n${text}`);
    expect(await places(editor, "ivrs/a.yaml")).toContain(expected.replaceAll("3:", "12:"));
  });

  test("of a folder are shown in ivrctl.yaml", async () => {
    const root = folder({
      "ivrctl.yaml":
        "version: 1\ndefault_environment: a\nenvironments: { a: { service: sandbox } }\n",
    });
    const editor = await startEditor(root);
    await editor.type("ivrctl.yaml");
    expect(await places(editor, "ivrctl.yaml")).toEqual(["0:0-0:0 IVR125"]);
  });

  test("disappear when the last file of the project is closed", async () => {
    const root = exampleProject({ "ivrs/b.yaml": "name: [\n" });
    const editor = await startEditor(root);
    await editor.type(example);
    await editor.type("ivrctl.yaml");
    await editor.close("ivrctl.yaml");
    const found = await editor.problems(example);
    expect(found.get(editor.uriOf("ivrs/b.yaml"))).toHaveLength(1);
    const emptied = editor.published(
      editor.uriOf("ivrs/b.yaml"),
      (problems) => problems.length === 0,
    );
    await editor.close(example);
    await emptied;
  });

  test("follow changes on disk: after saving, and if the editor watches files", async () => {
    const root = exampleProject({ "ivrs/a.yaml": menu("A", "Nobody") });
    const editor = await startEditor(root);
    await editor.type(example);
    const codes = async () =>
      (await editor.problems(example)).get(editor.uriOf("ivrs/a.yaml"))?.map(({ code }) => code);
    expect(await codes()).toContain("IVR301");
    writeFileSync(join(root, "ivrs/a.yaml"), menu("A"));
    await editor.save(example);
    expect(await codes()).not.toContain("IVR301");
    writeFileSync(join(root, "ivrs/a.yaml"), menu("A", "Nobody"));
    await editor.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
      changes: [{ uri: editor.uriOf("ivrs/a.yaml"), type: FileChangeType.Changed }],
    });
    expect(await codes()).toContain("IVR301");
  });

  test("do not count a renamed file twice, unless its old text is changed", async () => {
    const root = exampleProject({ "ivrs/a.yaml": menu("A"), "ivrs/b/b.yaml": menu("B") });
    const editor = await startEditor(root);
    const clashes = async (file: string) =>
      (await places(editor, file)).filter((place) => place.endsWith("IVR213"));
    mkdirSync(join(root, "ivrs/d"));
    for (const [name, from, to] of [
      ["A", "ivrs/a.yaml", "ivrs/c.yaml"],
      ["B", "ivrs/b/b.yaml", "ivrs/d/b.yaml"],
    ] as const) {
      await editor.type(from);
      expect(await clashes(from)).toEqual([]);
      renameSync(join(root, from), join(root, to));
      await editor.type(to);
      expect(await clashes(to)).toEqual([]);
      await editor.type(from, `# more\n${menu(name)}`);
      expect(await clashes(to)).toHaveLength(1);
      await editor.close(from);
      expect(await clashes(to)).toEqual([]);
    }
  });

  test("count a file that was never saved", async () => {
    const editor = await startEditor(exampleProject({ "ivrs/a.yaml": menu("A") }));
    await editor.type("ivrs/a.yaml");
    await editor.type("ivrs/new/b.yaml", menu("A"));
    for (const text of [menu("A"), `# more\n${menu("A")}`]) {
      await editor.type("ivrs/new/b.yaml", text);
      expect(await places(editor, "ivrs/new/b.yaml")).toContainEqual(
        expect.stringMatching("IVR213"),
      );
    }
  });
});

test("an editor that can watch files is asked to", async () => {
  const abilities = { workspace: { didChangeWatchedFiles: { dynamicRegistration: true } } };
  const editor = await startEditor(exampleProject(), {}, abilities);
  const { registrations } = await editor.registered;
  expect(registrations).toMatchObject([
    {
      method: "workspace/didChangeWatchedFiles",
      registerOptions: {
        watchers: [
          { globPattern: "**/ivrctl.yaml" },
          { globPattern: "**/ivrs/**" },
          { globPattern: "**/agents*.lock.json" },
        ],
      },
    },
  ]);
});

describe("bad conditions", () => {
  test("a file outside a project, or without a path, gets no answers", async () => {
    const root = folder({ "notes.yaml": "name: x\n" });
    const editor = await startEditor(root);
    expect(await editor.complete("notes.yaml", "¦")).toEqual([]);
    expect(await editor.hover("notes.yaml", "na¦me: x")).toBe("");
    expect(await editor.format("notes.yaml", "name:   x")).toBeNull();
    for (const uri of ["untitled:Untitled-1", "file://elsewhere/share/ivrs/a.yaml", "nonsense"]) {
      await editor.connection.sendNotification(DidOpenTextDocumentNotification.type, {
        textDocument: { uri, languageId: "yaml", version: 1, text: "name: [" },
      });
      const about = { textDocument: { uri } };
      expect(await editor.connection.sendRequest(DocumentSymbolRequest.type, about)).toBeNull();
    }
    expect([...(await editor.problems("notes.yaml"))]).toEqual([]);
  });

  test("a file of the project that is not YAML of ivrctl gets no answers", async () => {
    const editor = await startEditor(exampleProject({ "docker.yaml": "a: 1\n" }));
    for (const file of ["docker.yaml", "agents.lock.json", "ivrs/_notes.yaml"]) {
      expect(await editor.symbols(file, "{}")).toBeNull();
    }
  });

  test("each file belongs to the nearest of several projects", async () => {
    const text = (agent: string) => menu("A", agent);
    const config =
      "version: 1\ndefault_environment: a\nrules: { zero-not-operator: off }\nenvironments: { a: { service: sandbox } }\n";
    const agents = (name: string) =>
      JSON.stringify([
        { name, eid: "1" },
        { name: "Front Desk", eid: "2" },
      ]);
    const root = folder({
      "ivrctl.yaml": config,
      "agents.lock.json": agents("Outer"),
      "ivrs/a.yaml": text("Outer"),
      "inner/ivrctl.yaml": config,
      "inner/agents.lock.json": agents("Inner"),
      "inner/ivrs/a.yaml": text("Inner"),
    });
    const editor = await startEditor(root);
    for (const [file, agent] of [
      ["ivrs/a.yaml", "Outer"],
      ["inner/ivrs/a.yaml", "Inner"],
    ] as const) {
      await editor.type(file);
      expect(await places(editor, file)).toEqual([]);
      const names = (await editor.complete(file, text("¦"))).map(({ label }) => label);
      expect(names).toEqual([agent, "Front Desk"]);
    }
    const only = await startEditor(root, { root: join(root, "inner") });
    expect(await only.complete("ivrs/a.yaml", text("¦"))).toEqual([]);
    expect(await only.complete("inner/ivrs/a.yaml", text("¦"))).toHaveLength(2);
  });

  test("a broken ivrctl.yaml is reported, and menus still get what is known", async () => {
    const editor = await startEditor(exampleProject());
    await editor.type("ivrctl.yaml", "version: 1\nenvironments: [\n");
    await editor.type(example);
    expect(await places(editor, "ivrctl.yaml")).toEqual([expect.stringMatching("IVR10")]);
    const fields = await editor.complete(example, "¦");
    expect(fields.map(({ label }) => label)).toContain("recording");
    const agents = await editor.complete(example, "options:\n  1: ¦\n");
    expect(agents.map(({ label }) => label)).toContain("Asha Rao");
  });

  test("a text that is not YAML is reported", async () => {
    const editor = await startEditor(exampleProject());
    for (const text of [
      "\u0000\u0001PNG",
      "{{{{{{{{",
      "# Title\n\n* a\n* b `c`\n",
      "",
      "- - - -",
    ]) {
      expect(await editor.hover(example, text)).toBe("");
      expect(await editor.definition(example, text)).toBeUndefined();
      expect(Array.isArray(await editor.complete(example, `${text}¦`))).toBe(true);
      expect(await places(editor, example)).not.toEqual([]);
    }
  });

  test("secrets never leave the server", async () => {
    const config = `version: 1
default_environment: a
environments:
  a: { service: { base_url: "https://telephony.test", token: ${token} }, state: ${token} }
`;
    const root = exampleProject({ "ivrctl.yaml": config, "ivrs/a.yaml": menu("A", token) });
    const editor = await startEditor(root);
    const said = [
      await editor.hover("ivrctl.yaml", config.replace("token: s3", "token: s¦3")),
      await editor.hover("ivrctl.yaml", config.replace("tok", "to¦k")),
      await editor.hover("ivrs/a.yaml", menu("A", token).replace("s3", "s¦3")),
      await editor.symbols("ivrctl.yaml", config),
      await editor.complete("ivrctl.yaml", config.replace("token: s3", "token: s¦3")),
      [...(await editor.problems("ivrctl.yaml"))],
    ];
    const withoutEdits = JSON.stringify(said, (key, value) => (key === "text" ? "" : value));
    expect(withoutEdits).toContain("IVR");
    expect(withoutEdits).not.toContain(token);
  });
});
