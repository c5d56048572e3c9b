import { expect, test } from "vitest";
import type { CallDestination, CallMenu } from "../../src/call/model.ts";
import { shownOf } from "../../src/preview/browser/versions.ts";
import type { PreviewData, PreviewMenu } from "../../src/preview/data.ts";

const recording = { id: "1" };
const asha: CallDestination = {
  kind: "agent",
  name: "Asha Rao",
  eid: "1",
  team: null,
  blocked: false,
};
const ravi: CallDestination = { ...asha, name: "Ravi Kumar", eid: "2" };

function call(key: string, ...to: readonly CallDestination[]): CallMenu {
  return {
    key,
    name: key,
    recording,
    options: to.map((destination, at) => ({ key: String(at), destination })),
    invalid: { retries: 2, recording, destination: asha },
    timeout: { wait: "5", retries: 2, retryRecording: recording, recording, destination: asha },
  };
}

const sales: CallDestination = { kind: "menu", key: "sales" };
const main: CallDestination = { kind: "menu", key: "main" };

function data(now: readonly CallMenu[], before: readonly CallMenu[]): PreviewData {
  const menus = now.map((own): PreviewMenu => ({
    key: own.key,
    file: `ivrs/${own.key}.yaml`,
    call: own,
    tests: [],
    broken: [],
    problems: [],
  }));
  const base = { name: "main", menus: before };
  return { revision: "1", live: false, environment: null, base, menus, problems: [] };
}

/** The first menu of a page. */
function first(page: PreviewData) {
  const [menu] = page.menus;
  if (menu === undefined) throw new Error("There is no menu.");
  return shownOf(menu, page);
}

test("a menu differs if one that it leads to differs, at any depth and in circles", () => {
  const [front, other] = [call("main", sales), call("other", ravi)];
  const [old, now] = [call("sales", main, asha), call("sales", main, ravi)];
  expect(first(data([front, now], [front, old])).differs).toBe(true);
  expect(first(data([front, old, other], [front, old, call("other", asha)])).differs).toBe(false);
  expect(first(data([front, now], [now])).before).toBeUndefined();
  expect(first(data([now, front], [call("sales", asha), front])).differs).toBe(true);
});
