import { expect, test } from "vitest";
import { openConfiguration, openProject } from "../../src/project/open-project.ts";
import { exampleProject, folder } from "../support/cli.ts";
import { compileProject } from "../../src/compile/compile-project.ts";

const place = (root: string, env?: string) => ({
  root,
  globals: { config: undefined, env },
  variables: {},
});

const codes = (found: { sorted(): readonly { readonly code: string }[] }) =>
  found.sorted().map(({ code }) => code);

test("what is wrong with one part of a project hides no other", async () => {
  const root = exampleProject({
    "ivrctl.yaml":
      "version: 1\ncolour: blue\nenvironments: { a: {} }\nrules: { plugins: [./gone.mjs] }\n",
    "ivrs/overlooked.yml": "name: A\n",
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

test("the environment given goes before the one asked for", () => {
  const root = folder({ "ivrctl.yaml": "version: 1\nenvironments: { a: {}, b: {} }\n" });
  expect(openConfiguration(place(root, "a")).environment?.name).toBe("a");
  expect(openConfiguration(place(root, "a"), "b").environment?.name).toBe("b");
});

test("without ivrctl.yaml there is no project, and no menu is read", async () => {
  const root = folder({ "ivrs/a.yaml": "name: [\n" });
  const project = await openProject(place(root));
  expect(codes(project.found.files)).toEqual(["IVR126"]);
  expect(project.menus).toEqual([]);
});

test("tests are read if they are wanted", async () => {
  const root = exampleProject({ "ivrs/example.test.yaml": "tests: []\n" });
  expect((await openProject(place(root))).tests).toEqual([]);
  const { tests } = await openProject(place(root), { tests: true });
  expect(tests.map(({ file }) => file)).toEqual(["ivrs/example.test.yaml"]);
});
