import { expect, test } from "vitest";
import { openConfiguration, openProject } from "../../src/project/open-project.ts";
import { exampleProject, folder } from "../support/cli.ts";
import { compileProject } from "../../src/compile/compile-project.ts";
import { testHost } from "../support/host.ts";

const place = (root: string, env?: string) => ({
  root,
  globals: { env },
  host: testHost({ env: {} }),
});

const codes = (found: { sorted(): readonly { readonly code: string }[] }) =>
  found.sorted().map(({ code }) => code);

test("reports problems in all parts of a project", async () => {
  const root = exampleProject({
    "ivrctl.yaml":
      "version: 1\ncolor: blue\nenvironments: { a: {} }\nrules: { plugins: [./gone.mjs] }\n",
    "ivrs/ignored.yml": "name: A\n",
  });
  const project = await openProject(place(root, "b"));
  expect(codes(project.found.files)).toEqual(["IVR124"]);
  expect(codes(project.found.config)).toEqual(["IVR201"]);
  expect(codes(project.found.environment)).toEqual(["IVR402"]);
  expect(codes(project.found.plugins)).toEqual(["IVR745"]);
  expect(project.menus.map(({ file }) => file)).toEqual(["ivrs/example.yaml"]);
  const { diagnostics } = compileProject(project, { agents: undefined });
  expect(codes(diagnostics)).toEqual(
    expect.arrayContaining(["IVR124", "IVR201", "IVR402", "IVR745"]),
  );
});

test("prefers the environment of the caller to that of the user", () => {
  const root = folder({ "ivrctl.yaml": "version: 1\nenvironments: { a: {}, b: {} }\n" });
  expect(openConfiguration(place(root, "a")).environment?.name).toBe("a");
  expect(openConfiguration(place(root, "a"), "b").environment?.name).toBe("b");
});

test("reads no menu without ivrctl.yaml", async () => {
  const root = folder({ "ivrs/a.yaml": "name: [\n" });
  const project = await openProject(place(root));
  expect(codes(project.found.files)).toEqual(["IVR126"]);
  expect(project.menus).toEqual([]);
});

test("reads tests if requested", async () => {
  const root = exampleProject({ "ivrs/example.test.yaml": "tests: []\n" });
  expect((await openProject(place(root))).tests).toEqual([]);
  const { tests } = await openProject(place(root), { tests: true });
  expect(tests.map(({ file }) => file)).toEqual(["ivrs/example.test.yaml"]);
});
