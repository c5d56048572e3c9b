import { lockMatter } from "../../src/deploy/state/lock-matter.ts";
import { describe, expect, test } from "vitest";
import type { StepOutcome } from "../../src/deploy/apply/step-results.ts";
import type { Change } from "../../src/deploy/plan/changes/changes.ts";
import { matter } from "../../src/deploy/reasons/kinds.ts";
import type { Lock } from "../../src/deploy/state/lock.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { type PlanForReview, changedFirst, planComment } from "../../src/views/pipeline.ts";
import { type ShownResult, resultComment } from "../../src/views/pipeline-result.ts";
import { commentLimit } from "../../src/views/markdown.ts";
import { change, made, plain, planWith } from "../plan/view-changes.ts";

const run = "https://github.com/acme/phone/actions/runs/12";
const origin = {
  commit: "c0ffee",
  run,
  failed: [],
  kept: `${run}#artifacts`,
  directory: undefined,
} as const;
const time = "2026-01-02T03:04:05.000Z";

function creates(count: number, name = "Desk"): Change[] {
  return Array.from({ length: count }, (_, at) =>
    change("create", `menus/number-${at}`, {
      after: made({ ...plain, name, purpose: "A purpose that is quite long ".repeat(5) }),
    }),
  );
}

function unknown(key: string): Change {
  const pending = {
    intent: 1,
    key,
    action: "create",
    sent_at: time,
    until: time,
    seen: null,
  } as const;
  return change("unknown", key, { name: "Desk", pending: { menu: made(plain), ...pending } });
}

interface Fields extends Partial<PlanForReview> {
  readonly lock?: Lock;
  readonly lockEnded?: boolean | undefined;
}

function review(changes: readonly Change[], given: Fields = {}): PlanForReview {
  const { lock: held, lockEnded, ...fields } = given;
  const environment = fields.environment ?? "production";
  const requests = changes.flatMap(({ key, pending }) => (pending ? { name: key, pending } : []));
  const [first, ...more] = requests;
  return {
    matters: [
      ...(held ? [lockMatter(held, environment, "plan", lockEnded)] : []),
      ...(first ? [matter("unknown", [], { requests: [first, ...more] }, environment)] : []),
    ],
    plan: planWith(changes, environment),
    environment,
    refused: false,
    diagnostics: [],
    changed: new Set(),
    others: new Map(),
    overlaps: new Map(),
    hasPreview: false,
    isLive: true,
    ...fields,
  };
}

const lock: Lock = {
  id: "github-run-7-1-production",
  by: "asha",
  command: "apply",
  since: time,
  host: "runner",
  pid: 4,
  boot: null,
  pid_namespace: null,
  started: null,
};

describe("the comment with plans", () => {
  test("names the folder of the project in commands", () => {
    const plans = [review([unknown("night")], { lock })];
    const text = planComment(plans, { ...origin, directory: "apps/phone" });
    const commands = text.match(/<code>ivrctl .*?<\/code>/g) ?? [];
    expect(commands.length).toBeGreaterThan(1);
    for (const command of commands) expect(command).toContain("ivrctl -C apps/phone ");
  });

  test("quotes the name of a lock for the shell", () => {
    const hostile = { ...lock, id: "x; curl evil" };
    const text = planComment([review([], { lock: hostile, lockEnded: undefined })], origin);
    expect(text).toContain("<code>ivrctl unlock 'x; curl evil' --env production</code>");
  });

  test("shows unknown outcomes before everything else", () => {
    const keys = Array.from({ length: 12 }, (_, at) => `menu${at}`);
    const text = planComment([review(keys.map(unknown))], origin);
    const alert = text.split("\n").find((line) => line.startsWith("> The outcomes of"));
    expect(alert).toMatch(
      /^> The outcomes of menu0, .*menu9 and 2 more are unknown\. Each request may or may not have arrived\. ivrctl sends nothing for them/,
    );
    expect(text).toMatch(/^> - <code>ivrctl state resolve .*production<\/code>$/m);
  });

  test("names up to five menus with the same change", () => {
    const keys = ["desk", "night", "noon"];
    const rows = keys.map((key) => change("create", key, { name: key, after: made(plain) }));
    expect(planComment([review(rows)], origin)).toMatch(/^\| desk, night and noon \|/m);
    expect(planComment([review(creates(6))], origin)).toMatch(/^\| All 6 menus \||^\| 6 menus/m);
  });

  test("shows problems in menus that change, and counts the others", () => {
    const found = new Diagnostics();
    found.addFile("IVR210", "ivrs/changed.yaml", "In a menu that changes.");
    found.addFile("IVR210", "ivrs/other.yaml", "In a menu that does not change.");
    found.addFile("IVR210", "ivrs/third.yaml", "In a menu that does not change.");
    found.addFile("IVR126", "ivrctl.yaml", "An error.");
    const changed = new Set(["ivrs/changed.yaml"]);
    const diagnostics = found.sorted();
    const text = planComment([review([], { diagnostics, changed })], origin);
    expect(text).toContain("In a menu that changes.");
    expect(text).not.toContain("In a menu that does not change.");
    expect(text).toContain(
      `2 more problems in menus that do not change. See <a href="${run}">this run</a>.`,
    );
    expect(changedFirst(diagnostics, changed).map(({ file }) => file)).toEqual([
      "ivrctl.yaml",
      "ivrs/changed.yaml",
      "ivrs/other.yaml",
      "ivrs/third.yaml",
    ]);
  });

  test.each([1, 2, 10])(
    "fits into a comment of GitHub: 500 changes in %i environments",
    (count) => {
      const diagnostics = new Diagnostics();
      for (let at = 0; at < 500; at += 1) {
        diagnostics.addFile("IVR126", `ivrs/${at}.yaml`, "A problem with many words. ".repeat(10));
      }
      const plans = Array.from({ length: count }, (_, at) =>
        review(creates(500), {
          environment: `environment_${at}`,
          diagnostics: diagnostics.sorted(),
          lock,
        }),
      );
      const text = planComment(plans, origin);
      expect(text.length).toBeLessThanOrEqual(commentLimit);
      for (let at = 0; at < count; at += 1) {
        expect(text).toContain(`### Plan for environment&#95;${at}: 500 to create`);
      }
      expect(text).toContain("left out");
      expect(text.endsWith(`<sub>Commit c0ffee, <a href="${run}">this run</a>.</sub>`)).toBe(true);
    },
  );
});

/** A name that would do something if it were not escaped. */
const hostile = "@everyone <img src=x> [a](https://evil.example) `x` -->\n# Heading | #12 ![i](b)";

describe("names in comments are only text", () => {
  const active = /@everyone|<img|\]\(|https:\/\/evil|^# Heading|!\[|(?<!&)#12/m;

  test("in a plan", () => {
    const diagnostics = new Diagnostics();
    diagnostics.addFile("IVR126", hostile, hostile, hostile);
    const plan = review(
      [
        change("create", hostile, { name: hostile, after: made({ ...plain, name: "Desk" }) }),
        unknown(hostile),
      ],
      {
        environment: "production",
        diagnostics: diagnostics.sorted(),
        lock: { ...lock, id: hostile, by: hostile, host: hostile, command: hostile },
      },
    );
    expect(hostile).toMatch(active);
    expect(planComment([plan], { ...origin, failed: [hostile] })).not.toMatch(active);
  });

  test("in a result", () => {
    const diagnostics = new Diagnostics();
    diagnostics.addFile("IVR126", hostile, hostile, hostile);
    const all = shown("failed", result("unknown", hostile), result("failed", hostile));
    const by = { ...all.run, by: hostile };
    const text = resultComment({
      ...all,
      run: by,
      why: hostile,
      diagnostics: diagnostics.sorted(),
    });
    expect(text).not.toMatch(active);
  });
});

function result(outcome: StepOutcome["outcome"], name = "Desk", key = name): StepOutcome {
  const about = { ref: `menu:${key}`, key, name, action: "create" } as const;
  return { ...about, outcome, status: 400, message: name, attempts: 1 };
}

const created: ShownResult = {
  environment: "production",
  run: { at: time, by: "asha", id: "12", address: run },
  ending: "applied",
  results: [result("created")],
  progress: { results: [result("created")], done: 1, matters: [], otherUnknown: [] },
  diagnostics: [],
};

/** A result whose state cannot be read. */
function shown(ending: ShownResult["ending"], ...results: readonly StepOutcome[]) {
  return { ...created, ending, results, progress: undefined };
}

describe("the result of an apply", () => {
  test("shows what is left, what the state says and the run", () => {
    expect(resultComment(created)).toBe(`### Applied (production)

#### Next
- Nothing is left to do.

#### Now
- <b>created</b>: <code>Desk</code> “Desk”

<sub><a href="${run}">Run 12</a> by asha, 2026-01-02 03:04 UTC: 1 created.</sub>`);
  });

  test("calls a replaced menu so", () => {
    const replaced: StepOutcome = { ...result("created", "Night"), action: "replace" };
    const progress = { results: [replaced], done: 1, matters: [], otherUnknown: [] };
    const text = resultComment({ ...created, results: [replaced], progress });
    expect(text).toContain("<b>replaced</b>: <code>Night</code>");
    expect(text).toContain("UTC: 1 replaced.");
  });

  test("shows causes first, what failed for the same reason in one line, and deleted files", () => {
    const failed = Array.from({ length: 96 }, (_, at): StepOutcome => ({
      ...result("failed", `Desk ${at}`, `desk${at}`),
      status: 401,
      message: "No",
    }));
    const forgotten: StepOutcome = { ...result("forgotten", "Old"), action: "forget" };
    const diagnostics = new Diagnostics();
    diagnostics.addFile("IVR681", "GitHub", "The token is not valid.");
    const results = [...failed, forgotten];
    const progress = { results, done: 1, matters: [], otherUnknown: [] };
    const text = resultComment({
      ...shown("failed", ...results),
      progress,
      diagnostics: diagnostics.sorted(),
    });
    const lines = text.split("\n");
    const at = (start: string) => lines.findIndex((one) => one.startsWith(start));
    expect(at("- IVR681: The token is not valid.")).toBeLessThan(at("#### Next"));
    expect(lines.filter((one) => one.startsWith("- <b>failed</b>"))).toEqual([
      expect.stringMatching(/desk0<.* and 86 more \(.*401.*\)$/),
    ]);
    expect(text).toMatch(/Old.*Callers may still reach it until someone removes it on the console/);
  });

  test("does not call it applied if nothing is confirmed", () => {
    const progress = { results: [result("unknown")], done: 0, matters: [], otherUnknown: [] };
    const text = resultComment({ ...shown("unknown", result("unknown")), progress });
    expect(text).toMatch(/^### Nothing is confirmed: an outcome is unknown /);
  });

  test("shows what menus wait for, and how to record the ids of those that exist", () => {
    const waiting: StepOutcome = {
      ...result("waiting", "Main"),
      waitsFor: [
        { key: "sales", because: "unidentified" },
        { key: "night", because: "absent" },
        { key: "support", because: "unknown" },
      ],
    };
    const results = [result("created", "sales"), result("failed", "night"), waiting];
    const facts = { waiting: ["Main"], ids: ["sales"], menus: [], isLater: false };
    const matters = [matter("waiting-for-id", [], facts, "production")];
    const text = resultComment({ ...shown("failed", ...results), matters });
    expect(text).toContain(
      "- <b>waiting</b>: <code>Main</code> “Main” for night (not created), support, the id of sales\n",
    );
    expect(text).toContain("Main: not sent until the id of sales is recorded.");
    expect(text.match(/state resolve .*/g)).toEqual([
      "state resolve sales=ID --created --evidence TEXT --env production</code>",
    ]);
  });

  test("fits into a comment of GitHub, with what needs a person first", () => {
    const results = Array.from({ length: 1000 }, (_, at) =>
      result("created", "A name ".repeat(30), `menu${at}`),
    );
    const diagnostics = new Diagnostics();
    for (let at = 0; at < 500; at += 1) {
      diagnostics.addFile("IVR126", `${at}`, `${at}: a problem with many words. `.repeat(10));
    }
    const all = shown("unknown", ...results, result("unknown", "Last"));
    const text = resultComment({ ...all, diagnostics: diagnostics.sorted() });
    expect(text.length).toBeLessThan(commentLimit - 1000);
    expect(text).toContain("<b>unknown</b>: <code>Last</code>");
    expect(text).toMatch(/<b>\d+ more lines: see <a href=".*">this run<\/a>\.<\/b>/);
  });
});
