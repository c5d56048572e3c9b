import { expect, test } from "vitest";
import { menu, project, service } from "../../support/project.ts";

test("aligns the keys of all changes", async () => {
  const { url } = await service();
  const { run, write, remove } = project(url, { a: menu("A"), b: menu("B") });
  expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  write("ivrs/a.yaml", menu("A", "Front Desk"));
  write("ivrs/c.yaml", menu("C"));
  remove("ivrs/b.yaml");
  const { stdout } = await run("plan");
  const heads = stdout.split("\n").filter((line) => /^[+~-] \w/.test(line));
  expect(heads.map((line) => line.slice(0, 12))).toEqual([
    "~ replace  a",
    "- forget   b",
    "+ create   c",
  ]);
});
