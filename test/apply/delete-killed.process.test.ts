import { join } from "node:path";
import { expect, test } from "vitest";
import { folder } from "../support/cli.ts";
import { menu, project, service, until } from "../support/project.ts";

test.each([
  ["the service had deleted the menu", "silence on=delete created=yes", "deleted", {}],
  ["the service had not", "silence on=delete", "not-deleted", { delete: 1 }],
])(
  "after kill -9 during a delete, the next run looks at the list: %s",
  async (_, fault, resolved, counts) => {
    const operations = ["list", "delete", "numbers"] as const;
    const dataFile = join(folder({}), "service.jsonl");
    const { url, requests } = await service({ dataFile, operations, faults: [fault] });
    const newProject = project(url, { a: menu("A"), b: menu("B") }, { operations });
    await newProject.run("apply", "--auto-approve");
    newProject.remove("ivrs/b.yaml");
    const { child, finished } = newProject.start("apply", "--auto-approve", "--allow=delete");
    const deletes = () => requests.filter(({ method }) => method === "DELETE").length;
    await until(() => deletes() === 1);
    child.kill("SIGKILL");
    await finished;
    const { value } = await newProject.json("plan", "--allow=delete");
    expect(value.learned).toMatchObject([{ key: "b", resolved }]);
    expect(value.summary).toMatchObject({ delete: 0, unknown: 0, unchanged: 1, ...counts });
    // A run that may not delete sends nothing either, and records what the list shows.
    await newProject.run("apply", "--auto-approve", "--target", "a");
    expect(newProject.journal().at(-1).event).toMatchObject({
      kind: "outcome",
      how: "list",
      as: resolved === "deleted" ? "done" : "not-done",
    });
    expect(deletes()).toBe(1);
  },
);
