import { beforeEach, describe, expect, test } from "vitest";
import { menu, project, service } from "../support/project.ts";
import { lockElsewhere, replaced } from "../support/state.ts";

// The transcripts compare these outputs as text, and every test checks them with the published
// schemas. These tests say which values the fields have.

const text: unknown = expect.any(String);
const count: unknown = expect.any(Number);
const time: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const digest: unknown = expect.stringMatching(/^[0-9a-f]{64}$/);
const moment = { lineage: text, serial: count };

/** What `menu(name, agent)` compiles to. */
const payload = (name: string, extension = "500101") => ({
  name,
  description: `A menu called ${name}`,
  recording: "recording||10",
  timeout: "5",
  option: ["1"],
  destination: [`extension||${extension}`],
  incorrect_count: "2",
  invalid_recording: "recording||11",
  invalid_destination: "extension||500104",
  timeout_retry_recording: "recording||12",
  timeout_recording: "recording||13",
  timeout_destination: "extension||500104",
  timeout_tries: "2",
});

const followUp = (key: string, name: string, reason: string) => ({
  id: expect.stringMatching(/^F\d+$/),
  key,
  name,
  reason,
  created_at: time,
  payload: payload(name),
  identified: null,
});

const diagnostic = (code: string, severity: string) =>
  expect.objectContaining({ code, severity, message: text });

describe("plan --format json", () => {
  const noChanges = {
    create: 0,
    update: 0,
    replace: 0,
    bind: 0,
    delete: 0,
    move: 0,
    forget: 0,
    restore: 0,
    waiting: 0,
    missing: 0,
    drift: 0,
    blocked: 0,
    unknown: 0,
    unchanged: 0,
  };
  /** What apply reads. */
  const forApply = {
    refused: false,
    plan: expect.objectContaining({ environment: "test" }),
    digest,
  };

  test("has a create for each new menu, in the order of their keys", async () => {
    const { url } = await service();
    const { json } = project(url, { b: menu("B"), "a/x": menu("A") });
    expect(await json("plan")).toMatchObject({ exit: 0 });
    expect((await json("plan")).value).toEqual({
      format_version: "1.0",
      environment: "test",
      state: { lineage: null, serial: 0 },
      summary: { ...noChanges, create: 2 },
      ...forApply,
      callers: ["A", "B"].map((subject, at) => ({
        subject,
        keys: [["a/x", "b"][at]],
        lines: [{ text: "new: 1 Asha Rao, wrong key and silence Front Desk" }],
      })),
      follows: [],
      changes: [
        { key: "a/x", name: "A", action: "create", before: null, after: payload("A"), diff: [] },
        { key: "b", name: "B", action: "create", before: null, after: payload("B"), diff: [] },
      ],
      follow_ups: [],
      diagnostics: [expect.objectContaining({ code: "IVR608", severity: "warning" })],
    });
  });

  test("has both payloads of a replaced menu with their difference, and follow-ups", async () => {
    const { json, write, remove } = await replaced();
    write("ivrs/front-desk.yaml", menu("Front desk", "Front Desk"));
    remove("ivrs/sales.yaml");
    const { exit, value } = await json("plan");
    expect(exit).toBe(0);
    expect(value).toEqual({
      format_version: "1.0",
      environment: "test",
      state: moment,
      summary: { ...noChanges, replace: 1, forget: 1, unknown: 1 },
      ...forApply,
      callers: [
        {
          subject: "Front desk",
          keys: ["front-desk"],
          lines: [{ text: "key 1: Asha Rao → Front Desk" }],
        },
        {
          subject: "Sales",
          keys: ["sales"],
          lines: [
            {
              text: "file deleted; callers still reach this menu until it is removed on the console",
            },
          ],
        },
      ],
      follows: [],
      changes: [
        {
          key: "front-desk",
          name: "Front desk",
          action: "replace",
          before: payload("Front desk"),
          after: payload("Front desk", "500104"),
          diff: [
            { field: "destination.1", before: "extension||500101", after: "extension||500104" },
          ],
        },
        {
          key: "night",
          name: "Night",
          action: "unknown",
          before: null,
          after: payload("Night"),
          diff: [],
        },
        {
          key: "sales",
          name: "Sales",
          action: "forget",
          before: payload("Sales", "500104"),
          after: null,
          diff: [],
        },
      ],
      follow_ups: [followUp("sales", "Sales", "replaced")],
      diagnostics: [],
    });
  });

  test("has no changes, but the place of the error, if a file is invalid", async () => {
    const { url } = await service();
    const { json } = project(url, { a: menu("A", "Nobody") });
    const { exit, value } = await json("plan");
    expect(exit).toBe(1);
    expect(value).toEqual({
      format_version: "1.0",
      environment: "test",
      state: { lineage: null, serial: 0 },
      summary: noChanges,
      callers: [],
      follows: [],
      changes: [],
      follow_ups: [],
      refused: true,
      plan: null,
      digest,
      diagnostics: [
        expect.objectContaining({ code: "IVR608", severity: "warning" }),
        expect.objectContaining({
          code: "IVR301",
          severity: "error",
          message: text,
          file: "ivrs/a.yaml",
          line: 4,
          column: 15,
        }),
      ],
    });
  });
});

describe("apply --format json", () => {
  const nothing = {
    created: 0,
    updated: 0,
    bound: 0,
    deleted: 0,
    failed: 0,
    unknown: 0,
    not_attempted: 0,
    waiting: 0,
    moved: 0,
    forgotten: 0,
    restored: 0,
    missing: 0,
    drift: 0,
  };

  test("has a result for each menu, with the status and message of the service", async () => {
    const { url } = await service({ faults: ["status=400 message=Bad name=B", "cut name=C"] });
    const { json } = project(url, { a: menu("A"), b: menu("B"), c: menu("C") });
    const { exit, value } = await json("apply", "--auto-approve");
    expect(exit).toBe(3);
    expect(value).toEqual({
      format_version: "1.0",
      environment: "test",
      summary: { ...nothing, created: 1, failed: 1, unknown: 1 },
      results: [
        {
          key: "a",
          name: "A",
          action: "create",
          outcome: "created",
          status: 200,
          message: text,
          attempts: 1,
        },
        {
          key: "b",
          name: "B",
          action: "create",
          outcome: "failed",
          status: 400,
          message: "Bad",
          attempts: 1,
        },
        {
          key: "c",
          name: "C",
          action: "create",
          outcome: "unknown",
          status: 200,
          message: text,
          attempts: 1,
        },
      ],
      follow_ups: [],
      diagnostics: [],
    });
  });

  test("has results without a request, and the follow-ups that are open", async () => {
    const { url } = await service();
    const { json, write, remove } = project(url, { a: menu("A"), b: menu("B") });
    await json("apply", "--auto-approve");
    remove("ivrs/a.yaml");
    write("ivrs/c.yaml", `moved_from: a\n${menu("A")}`);
    remove("ivrs/b.yaml");
    const { exit, value } = await json("apply", "--auto-approve");
    expect(exit).toBe(0);
    const unsent = { status: null, message: null, attempts: 0 };
    expect(value).toEqual({
      format_version: "1.0",
      environment: "test",
      summary: { ...nothing, moved: 1, forgotten: 1 },
      results: [
        { key: "b", name: "B", action: "forget", outcome: "forgotten", ...unsent },
        { key: "c", name: "A", action: "move", outcome: "moved", ...unsent },
      ],
      follow_ups: [followUp("b", "B", "removed")],
      diagnostics: [],
    });
    write("ivrs/b.yaml", menu("B"));
    expect((await json("apply", "--auto-approve")).value).toMatchObject({
      summary: { ...nothing, restored: 1 },
      results: [{ key: "b", action: "restore", outcome: "restored", ...unsent }],
      follow_ups: [],
    });
  });

  test("lists what was not attempted, and why, if apply is refused", async () => {
    const { url } = await service();
    const { json } = project(url, { a: menu("A") });
    const { exit, value } = await json("apply", "--auto-approve", "--max-creates", "0");
    expect(exit).toBe(1);
    expect(value).toEqual({
      format_version: "1.0",
      environment: "test",
      summary: { ...nothing, not_attempted: 1 },
      results: [
        {
          key: "a",
          name: "A",
          action: "create",
          outcome: "not_attempted",
          status: null,
          message: null,
          attempts: 0,
        },
      ],
      follow_ups: [],
      diagnostics: [diagnostic("IVR612", "error")],
    });
  });
});

describe("state --format json", () => {
  let own: Awaited<ReturnType<typeof replaced>>;
  beforeEach(async () => {
    own = await replaced();
  });
  const read = async (...args: string[]) => {
    const { exit, value } = await own.json(...args);
    expect(exit).toBe(0);
    return value;
  };
  const agents = [
    ["key 1", "500101", "Asha Rao"],
    ["invalid", "500104", "Front Desk"],
    ["timeout", "500104", "Front Desk"],
  ].map(([place, eid, name]) => ({ place, eid, name, reference: { agent: name } }));
  const frontDesk = {
    key: "front-desk",
    name: "Front desk",
    status: "live",
    current: {
      payload: payload("Front desk"),
      digest,
      created_at: time,
      settled: { how: "answered", status: 200, message: text },
      identified: null,
      agents,
      menus: {},
    },
    pending: null,
  };
  const night = {
    key: "night",
    name: "Night",
    status: "unknown",
    current: null,
    pending: {
      payload: payload("Night"),
      digest,
      action: "create",
      sent_at: time,
      until: time,
      seen: { status: 200, message: text },
      agents,
      menus: {},
    },
  };

  test("list has the place of the state, each menu, the follow-ups and the lock", async () => {
    const list = {
      format_version: "1.0",
      environment: "test",
      place: text,
      address: own.url,
      state: moment,
      keys: [frontDesk, night, expect.objectContaining({ key: "sales", status: "live" })],
      follow_ups: [followUp("sales", "Sales", "replaced")],
      lock: null,
      diagnostics: [],
    };
    expect(await read("state", "list")).toEqual(list);
    lockElsewhere(own.path);
    expect(await read("state", "list")).toEqual({
      ...list,
      lock: {
        id: "abc123",
        by: "meera@elsewhere",
        command: "apply",
        since: "2026-01-02T03:04:05.000Z",
        host: text,
        pid: 17,
      },
    });
  });

  test("show has only the named menus", async () => {
    expect(await read("state", "show", "night")).toEqual({
      format_version: "1.0",
      environment: "test",
      address: own.url,
      state: moment,
      keys: [night],
      follow_ups: [],
      diagnostics: [],
    });
  });

  test("history has each event with its number, time, run and author", async () => {
    const value = await read("state", "history", "night");
    expect(value).toEqual({
      format_version: "1.0",
      environment: "test",
      entries: ["intent", "unknown"].map((kind) => ({
        seq: count,
        at: time,
        run: text,
        by: text,
        event: expect.objectContaining({ kind, key: "night" }),
      })),
      diagnostics: [],
    });
  });
});
