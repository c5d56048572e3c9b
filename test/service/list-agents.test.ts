import type { Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { listedAgents } from "../../src/deploy/service/list-agents.ts";
import { HttpService } from "../../src/deploy/service/http-service.ts";
import { clock } from "../support/host.ts";
import { answer, rudeServer } from "../support/rude-server.ts";

const token = `eyJ${"a/b".repeat(80)}`;

async function listFrom(reply: (socket: Socket) => unknown, timeout = 300) {
  const { url, requests } = await rudeServer({ asked: (socket) => void reply(socket) });
  const service = new HttpService({ clock, baseUrl: `${url}/api/`, token, timeout });
  onTestFinished(() => service.close());
  return { listing: await listedAgents(service, false), requests };
}

const body = (text: string, status = 200, type = "application/json") =>
  listFrom((socket) => socket.write(answer(status, text, { "content-type": type })));

describe("the agent list", () => {
  test("is requested as the service documents it", async () => {
    const { listing, requests } = await body(
      '[{"id":7,"name":"Asha Rao","eid":"01","unheard_of":{"x":1}}]',
    );
    expect(listing).toEqual({
      kind: "listed",
      items: [{ id: 7, name: "Asha Rao", eid: "01" }],
      unreadable: [],
    });
    expect(requests[0]).toMatch(/^GET \/api\/v1\/agents HTTP\/1.1\r\n/);
    expect(requests[0]).toContain(`authorization: Bearer ${token}`);
  });

  test.each([
    ["empty", "[]"],
    [
      "with null and numbers in fields that the documentation leaves unclear",
      '[{"name":"A","eid":5,"team_name":null,"departments":null,"custom_status":"1"},{"name":"B","eid":null}]',
    ],
  ])("may be %s", async (_, text) => {
    expect((await body(text)).listing.kind).toBe("listed");
  });

  test.each([
    ["{}", "the answer is not an agent list"],
    ['{"agents":[]}', "the answer is not an agent list"],
    ['[{"name":"A"}]', "the agent list is invalid: A: eid is missing"],
    ['[{"name":"A","eid":"1"},{"eid":"2"}]', "an agent: name is missing"],
    ['[{"name":null,"eid":"2"}]', "an agent: "],
    ["[7]", "an agent: must be an object"],
    ['[{"name":"A","eid":50012345678901234567}]', "A: "],
    ['[{"name":"A","eid":"1","departments":["B",5]}]', "departments[1]"],
    ['[{"name":"A","eid":"1"},{"name":"B","eid":"1"}]', "A: B has the same extension id 1"],
    ["", "the answer is not an agent list: HTTP 200, application/json, empty"],
    ["not json", "starting with: not json"],
    [`<html>${"x".repeat(500)}`, "HTTP 200, text/html, starting with: <html>xxx", 200, "text/html"],
    ...[401, 403, 404, 500, 302].map(
      (status) => [`{"Message":"${token}"}`, `HTTP ${status}`, status] as const,
    ),
    // The token is escaped and cut.
    [`{"authorization":"Bearer ${token.replaceAll("/", String.raw`\/`)}"}`, "not an agent list"],
  ] as const)("%s is refused", async (text, problem, status?: number, type?: string) => {
    const { listing } = await body(text, status, type);
    expect(listing).toMatchObject({ kind: "refused", problem: expect.stringContaining(problem) });
    expect(JSON.stringify(listing).length).toBeLessThan(400);
    expect(JSON.stringify(listing)).not.toContain("eyJ");
  });

  test("is refused if the service does not answer", async () => {
    expect((await listFrom(() => {}, 0.3)).listing).toMatchObject({ kind: "refused" });
    const lost = await listFrom((socket) => socket.resetAndDestroy());
    expect(lost.listing).toMatchObject({ kind: "refused" });
  });
});
