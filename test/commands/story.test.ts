import { expect, test } from "vitest";
import { menu, project, service } from "../support/project.ts";

/** A few menus from the first create to an unknown outcome. Each step edits files, then plans and applies. */
test("creates, replaces, moves, forgets, restores and resolves menus", async () => {
  const { url, records } = await service({ faults: ["cut name=Night created=yes times=1"] });
  const names = () => records.map(({ payload }) => payload.name);
  const { run, json, write, remove } = project(url, {
    "front-desk": menu("Front desk"),
    sales: menu("Sales"),
  });
  const plan = async () => {
    const { value } = await json("plan");
    return value.changes.map(({ key, action }: Record<string, string>) => `${action} ${key}`);
  };

  // Two new menus are planned and applied. The next plan has nothing to do.
  expect(await plan()).toEqual(["create front-desk", "create sales"]);
  expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(names()).toEqual(["Front desk", "Sales"]);
  expect(await plan()).toEqual([]);

  // A changed menu. The service cannot change a menu, so a new one is created. A person takes the
  // old one out of service.
  write("ivrs/sales.yaml", menu("Sales", "{ agent: Ravi Kumar, team: Sales }"));
  const { stdout } = await run("plan");
  expect(stdout).toContain("key 1: Asha Rao → Ravi Kumar (Sales)");
  expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(names()).toEqual(["Front desk", "Sales", "Sales"]);
  const [followUp] = (await json("plan")).value.follow_ups;
  expect(followUp).toMatchObject({ key: "sales", name: "Sales", reason: "replaced" });
  expect(
    await run("state", "done", followUp.id, "--evidence", "taken out on the console"),
  ).toMatchObject({ exit: 0 });
  expect((await json("plan")).value.follow_ups).toEqual([]);

  // A renamed file. Without moved_from, the plan is refused, because it would create a second live
  // menu. With moved_from, only the state changes.
  remove("ivrs/front-desk.yaml");
  write("ivrs/pune/front-desk.yaml", menu("Front desk"));
  const refused = await json("plan");
  expect(refused.exit).toBe(1);
  expect(refused.value.diagnostics).toMatchObject([
    { code: "IVR609", file: "ivrs/pune/front-desk.yaml", line: 1, column: 7 },
  ]);
  write("ivrs/pune/front-desk.yaml", menu("Front desk", "Asha Rao", "moved_from: front-desk\n"));
  expect(await plan()).toEqual(["move pune/front-desk"]);
  expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(names()).toHaveLength(3);

  // A deleted file that comes back. Both change only the state.
  remove("ivrs/sales.yaml");
  expect(await plan()).toEqual(["forget sales"]);
  expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  write("ivrs/sales.yaml", menu("Sales", "{ agent: Ravi Kumar, team: Sales }"));
  expect(await plan()).toEqual(["restore sales"]);
  expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(names()).toHaveLength(3);

  // An incomplete answer. The menu may or may not exist, so it stays unknown and is not sent again
  // until a person has looked. The exit code is 3.
  write("ivrs/night.yaml", menu("Night"));
  expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 3 });
  write("ivrs/night.yaml", menu("Night", "Front Desk"));
  expect(await plan()).toEqual(["unknown night"]);
  expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 3 });
  expect(names().filter((name) => name === "Night")).toHaveLength(1);

  // A person finds it on the console and resolves it. The state then has what was sent, so the
  // edit made since is a change.
  const evidence = ["--by", "asha", "--evidence", "seen on the console"];
  expect(await run("state", "resolve", "night", "--created", ...evidence)).toMatchObject({
    exit: 0,
  });
  expect(await plan()).toEqual(["replace night"]);
  expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(await plan()).toEqual([]);
  expect((await run("state", "history", "night")).stdout).toContain("seen on the console");
});
