import { expect, test } from "vitest";
import { menu, project, service } from "../support/project.ts";

/**
 * The life of a few menus, told from the first create to an answer that never
 * came. Each step is what somebody does to the files, then what ivrctl makes of it.
 */
test("create, change, rename, remove, unknown, resolve", async () => {
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

  // Two new menus: the plan says so, the apply does so, and the next plan has nothing left to do.
  expect(await plan()).toEqual(["create front-desk", "create sales"]);
  expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(names()).toEqual(["Front desk", "Sales"]);
  expect(await plan()).toEqual([]);

  // A change. The service cannot change a record: a new one is made, and the old one is left for a
  // person to take out of service.
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

  // A renamed file. Without a word it would be a second live menu, and that is refused; with
  // moved_from the record goes along, and nothing is sent.
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

  // A removed file, and its return: both are the state's business alone.
  remove("ivrs/sales.yaml");
  expect(await plan()).toEqual(["forget sales"]);
  expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  write("ivrs/sales.yaml", menu("Sales", "{ agent: Ravi Kumar, team: Sales }"));
  expect(await plan()).toEqual(["restore sales"]);
  expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(names()).toHaveLength(3);

  // An answer that does not come. The menu may exist or not, so ivrctl neither sends it again nor
  // forgets it: it stays unknown, and exit code 3 says so, until a person has looked.
  write("ivrs/night.yaml", menu("Night"));
  expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 3 });
  write("ivrs/night.yaml", menu("Night", "Front Desk"));
  expect(await plan()).toEqual(["unknown night"]);
  expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 3 });
  expect(names().filter((name) => name === "Night")).toHaveLength(1);

  // Somebody finds it on the provider's console and says so. What was sent is then what is on
  // record, and the edit made since is a change like any other.
  const evidence = ["--by", "asha", "--evidence", "seen on the console"];
  expect(await run("state", "resolve", "night", "--created", ...evidence)).toMatchObject({
    exit: 0,
  });
  expect(await plan()).toEqual(["replace night"]);
  expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(await plan()).toEqual([]);
  expect((await run("state", "history", "night")).stdout).toContain("seen on the console");
});
