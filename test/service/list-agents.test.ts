import type { Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { HttpService } from "../../src/deploy/service/http-service.ts";
import { answer, rudeServer } from "../support/rude-server.ts";
import { clock } from "../support/host.ts";

const token = "s3cr3t-t0k3n";

async function listFrom(reply: (socket: Socket) => void, timeout = 300) {
  const server = await rudeServer({ asked: reply });
  const service = new HttpService({ clock, baseUrl: `${server.url}/api/`, token, timeout });
  onTestFinished(() => service.close());
  return { listing: await service.list(), requests: server.requests };
}

const body = (text: string, status = 200, type = "application/json") =>
  listFrom((socket) => void socket.write(answer(status, text, { "content-type": type })));

describe("the agent list", () => {
  test("is requested as the service documents it", async () => {
    const { listing, requests } = await body(
      '[{"id":7,"name":"Asha Rao","eid":"01","unheard_of":{"x":1}}]',
    );
    expect(listing).toEqual({
      kind: "listed",
      agents: [{ id: 7, name: "Asha Rao", eid: "01" }],
    });
    expect(requests[0]).toMatch(/^GET \/api\/v1\/agents HTTP\/1.1\r\n/);
    expect(requests[0]).toContain(`authorization: Bearer ${token}`);
  });

  test("may be empty", async () => {
    expect((await body("[]")).listing).toEqual({ kind: "listed", agents: [] });
  });

  test("may have null and numbers in fields that the documentation leaves unclear", async () => {
    const text =
      '[{"name":"A","eid":5,"team_name":null,"departments":null,"custom_status":"1"},{"name":"B","eid":null}]';
    expect((await body(text)).listing.kind).toBe("listed");
  });

  test.each([
    ["{}", "the answer is not a list of agents"],
    ['{"agents":[]}', "the answer is not a list of agents"],
    ['[{"name":"A"}]', "the agent list is invalid: A: eid is missing"],
    ['[{"name":"A","eid":"1"},{"eid":"2"}]', "an agent: name is missing"],
    ['[{"name":null,"eid":"2"}]', "an agent: "],
    ["[7]", "an agent: must be an object"],
    ['[{"name":"A","eid":50012345678901234567}]', "A: "],
    ['[{"name":"A","eid":"1","departments":["B",5]}]', "departments[1]"],
    ['[{"name":"A","eid":"1"},{"name":"B","eid":"1"}]', "A: B has the same extension id 1"],
    ["", "the answer is not an agent list: HTTP 200, application/json, empty"],
    ["not json", "starting with: not json"],
  ])("%s is refused", async (text, problem) => {
    const { listing } = await body(text);
    expect(listing.kind === "refused" && listing.problem).toContain(problem);
  });

  test("describes the page of a proxy", async () => {
    const { listing } = await body(`<html>${"x".repeat(500)}`, 200, "text/html; charset=utf-8");
    expect(listing.kind === "refused" && listing.problem).toContain(
      "the answer is not an agent list: HTTP 200, text/html; charset=utf-8, starting with: <html>xxx",
    );
    expect(listing.kind === "refused" && listing.problem.length).toBeLessThan(300);
  });

  test("shows the status of a refusal, and never the token", async () => {
    for (const status of [401, 403, 404, 500, 302]) {
      const { listing } = await body(`{"Message":"${token}"}`, status);
      expect(listing.kind === "refused" && listing.problem).toContain(`HTTP ${status}`);
      expect(JSON.stringify(listing)).not.toContain(token);
    }
  });

  test("does not show a token that the answer repeats, cut or escaped", async () => {
    const long = `eyJ${"a/b".repeat(80)}`;
    const server = await rudeServer({
      asked: (socket) =>
        void socket.write(
          answer(
            200,
            `{"headers":{"authorization":"Bearer ${long.replaceAll("/", String.raw`\/`)}"}}`,
          ),
        ),
    });
    const service = new HttpService({ clock, baseUrl: server.url, token: long, timeout: 300 });
    onTestFinished(() => service.close());
    expect(JSON.stringify(await service.list())).not.toContain("eyJ");
  });

  test("is reported as refused if the service does not answer", async () => {
    const silent = await listFrom(() => {}, 0.3);
    expect(silent.listing).toEqual({
      kind: "refused",
      problem: "the service did not answer within 0.3 s",
      reason: "other",
    });
    const lost = await listFrom((socket) => void socket.resetAndDestroy());
    expect(lost.listing.kind).toBe("refused");
  });
});
