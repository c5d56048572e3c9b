import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { HttpService } from "../../src/deploy/service/http-service.ts";
import { liveSettings, webhookKeys } from "../../src/deploy/service/live-menu.ts";
import {
  decodeDestination,
  decodeListed,
  decodePayload,
} from "../../src/deploy/service/decode-payload.ts";
import { isSameMenu } from "../../src/model/menu-diff.ts";
import type { Listing } from "../../src/deploy/service/lists.ts";
import type { Sandbox, SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { type OperationName, operationNames } from "../../src/schema/operations.ts";
import type { Payload } from "../../src/schema/wire.ts";
import { folder } from "../support/cli.ts";
import { call, create, payload as plainPayload, sandboxFor } from "./client.ts";
import { faultsBy, parseFault } from "../support/faults.ts";
import { clock } from "../support/host.ts";

const request = { key: "front-desk" };

const settings = liveSettings({
  numbers: "string",
  final_recording: "optional",
  plain_recordings: [],
  no_sms_template: "",
  read_kinds: { department: "ringgroup" },
  read_retries: "timeout_tries",
});

const payload: Payload = {
  name: "Front desk",
  description: "First menu",
  recording: "recording||19549",
  timeout: "05",
  option: ["1", 2, "*"],
  destination: ["extension||500101", "department||1", "hangup||1"],
  incorrect_count: 2,
  invalid_recording: "19550",
  invalid_destination: "extension||500104",
  timeout_retry_recording: "recording||19551",
  timeout_recording: "recording||19552",
  timeout_destination: "extension||500104",
  timeout_tries: "3",
  sms_template: ["", "77", ""],
};

/** A sandbox with all operations, and a client for it. */
async function serviceFor(options: Partial<SandboxOptions> = {}, ...faults: string[]) {
  const sandbox = await sandboxFor({
    operations: operationNames,
    faults: faultsBy(faults.map(parseFault), clock),
    ...options,
  });
  return { sandbox, service: clientFor(sandbox) };
}

function clientFor({ url }: Sandbox) {
  const service = new HttpService({ clock, baseUrl: url, token: "t", timeout: 5, readAttempts: 1 });
  onTestFinished(() => service.close());
  return service;
}

/** Sets a webhook for an option, as somebody could on the console. */
function setWebhook(dataFile: string, menu: number, option: string, id: string): void {
  const event = { at: "2026-01-02T03:04:05.000Z", webhook: { menu, option, id } };
  appendFileSync(dataFile, `${JSON.stringify(event)}\n`);
}

function itemsOf<T>(listing: Listing<T>): readonly T[] {
  expect(listing).toMatchObject({ kind: "listed", unreadable: [] });
  return listing.kind === "listed" ? listing.items : [];
}

describe("without operations", () => {
  const requests = [
    ["GET", "/v1/ivrs"],
    ["PUT", "/v1/ivr/1"],
    ["DELETE", "/v1/ivr/1"],
    ["GET", "/v1/my_number"],
    ["PUT", "/v1/my_number/901"],
    ["GET", "/v1/users"],
    ["GET", "/v1/departments"],
  ] as const;

  test("an unknown address gets the addresses of the operations", async () => {
    const { url } = await sandboxFor({ operations: ["list", "update", "delete"] });
    const { text } = await call(url, { method: "GET", path: "/v1/users" });
    expect(text).toContain("The addresses are /v1/ivr, /v1/agents, /v1/ivrs and /v1/ivr/{id}");
  });

  test.each([
    ["list", ["GET /v1/ivrs"]],
    ["update", ["PUT /v1/ivr/1"]],
    ["delete", ["DELETE /v1/ivr/1"]],
    ["numbers", ["GET /v1/my_number", "PUT /v1/my_number/901"]],
    ["users", ["GET /v1/users", "GET /v1/departments"]],
  ] as const)("%s offers only %j", async (operation: OperationName, offered) => {
    const sandbox = await sandboxFor({ operations: [operation] });
    await create(sandbox.url);
    const open: string[] = [];
    for (const [method, path] of requests) {
      const body = JSON.stringify(
        path.includes("number") ? { destination: "ivr||1" } : plainPayload(),
      );
      const { status } = await call(sandbox.url, {
        method,
        path,
        ...(method === "PUT" && { body }),
      });
      if (status === 200) open.push(`${method} ${path}`);
      else expect([404, 405]).toContain(status);
    }
    expect(open.toSorted()).toEqual(offered.toSorted());
  });
});

describe("menus", () => {
  test("are listed in a different form, which means the same", async () => {
    const { service, sandbox } = await serviceFor();
    const created = await service.create(payload, "front-desk");
    expect(created).toEqual({ kind: "done", status: 200, message: "IVR created successfully" });
    const [menu] = itemsOf(await service.list("menus"));
    expect(menu).toMatchObject({ id: "1", name: "Front desk" });
    expect(menu?.options.map(({ key }) => key)).toEqual(["*", "2", "1"]);
    expect(menu?.options[1]?.destination).toEqual({ type: "ringgroup", id: "1" });
    const sent = decodePayload(payload, settings.noSmsTemplate);
    expect(menu && isSameMenu(decodeListed(menu, sent, settings), sent)).toBe(true);
    const { text } = await call(sandbox.url, { method: "GET", path: "/v1/ivrs" });
    expect(JSON.parse(text)).toMatchObject({
      ivrs: [{ id: 1, recording: "19549", invalid_recording: 19_550, timeout: 5 }],
    });
  });

  test("refuse an invalid update with 422", async () => {
    const { service } = await serviceFor();
    await service.create(payload, "a");
    const missing = {
      ...payload,
      invalid_destination: "ivr||9",
      timeout_destination: "department||99",
    };
    expect(await service.updateMenu("1", missing, request)).toEqual({
      kind: "failed",
      status: 422,
      message:
        "invalid_destination: no menu has this id; timeout_destination: no department has this id",
      stop: false,
    });
  });

  test("lose the webhooks of the console with an update", async () => {
    const dataFile = join(folder({}), "records.jsonl");
    const { service } = await serviceFor({ dataFile });
    await service.create(payload, "a");
    setWebhook(dataFile, 1, "2", "12");
    const webhooks = async () => itemsOf(await service.list("menus")).map(webhookKeys);
    expect(await webhooks()).toEqual([["2"]]);
    await service.updateMenu("1", payload, request);
    expect(await webhooks()).toEqual([[]]);
  });
});

describe("phone numbers", () => {
  test.each([
    ["901", "ivr||7", 422, "destination: no menu has this id"],
    ["901", "nonsense", 422, "destination must be KIND||ID"],
    ["999", "hangup||1", 404, "Number not found"],
  ])("%s cannot link to %s", async (id, destination, status, message) => {
    const { service } = await serviceFor();
    expect(
      await service.bindNumber({ id, name: null }, decodeDestination(destination), request),
    ).toMatchObject({
      kind: "failed",
      status,
      message: expect.stringContaining(message),
    });
  });
});
