import { expect, test } from "vitest";
import { menu, project, service } from "../support/project.ts";

const config = `version: 1
default_environment: test
environments:
  test:
    service: { base_url: "\${BASE_URL}", token: "\${TOKEN}" }
    operations: [list, numbers]
`;

async function numbersWith(...faults: string[]) {
  const { url } = await service({ operations: ["list", "numbers"], faults });
  const own = project(url, { a: menu("A") });
  own.write("ivrctl.yaml", config);
  return own;
}

test("reports a list that the service refuses", async () => {
  const numbers = await numbersWith("status=403 on=numbers");
  const refused = await numbers.run("numbers");
  expect(refused.exit).toBe(1);
  expect(refused.stderr).toContain("error[IVR505]");
  expect(refused.stderr.replaceAll(/\s+/g, " ")).toContain(
    "is not available: the scope of the token does not include this operation (HTTP 403).",
  );
  const menus = await numbersWith("status=404 on=list");
  const { exit, value } = await menus.json("numbers");
  expect(exit).toBe(1);
  expect(value).toMatchObject({
    environment: "test",
    numbers: [],
    diagnostics: [{ code: "IVR505" }],
  });
});

test("names agents from the agent list, and shows records that it does not understand", async () => {
  const body = JSON.stringify([
    { id: 1, did: "+912241234567", name: "Sales\u001b[2J", destination: "extension||500101" },
    { id: 2, did: "+912241234568", destination: "department||7" },
    { id: 3, did: "+912241234569", destination: "odd" },
    { id: 4, name: "Broken" },
  ]);
  const own = await numbersWith(`status=200 on=numbers body=${body.replaceAll(" ", "")}`);
  own.write("agents.lock.json", '{ "agents": [{ "name": "Asha Rao", "eid": "500101" }] }');
  const { exit, stdout, stderr } = await own.run("numbers");
  expect(exit).toBe(0);
  expect(stdout).toContain("Asha Rao (extension 500101)");
  expect(stdout).toContain("department 7");
  expect(stdout).toContain("odd");
  expect(stdout).not.toContain("\u001b");
  expect(stderr).toContain("Broken of the list cannot be read: must have a number.");
});

test("says that there are none", async () => {
  const { stderr } = await (await numbersWith("status=200 on=numbers body=[]")).run("numbers");
  expect(stderr).toContain("The account has no phone numbers.");
});
