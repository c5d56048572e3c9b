import * as z from "zod/mini";
import type { Agent } from "../compile/agents.ts";
import type { OperationName } from "../schema/operations.ts";
import { validate } from "../schema/validate.ts";
import { joined, many } from "../util/many.ts";
import type { Account } from "./account.ts";
import { type Answer, created, invalidPayload, json, refused } from "./answer.ts";
import { checkDestination, checkPayload, type Destinations } from "./check-payload.ts";
import type { ListFault, Operation } from "./faults.ts";
import {
  type SandboxNumber,
  currentNumber,
  departmentList,
  menuList,
  numberList,
  userPage,
} from "./lists.ts";
import type { Records } from "./records.ts";
import { type Body, nameIn } from "./request.ts";

/** What the routes work with. */
export interface Place {
  readonly records: Records;
  readonly agents: readonly Agent[];
  /** The agents in the format of the service. */
  readonly listedAgents: readonly unknown[];
  readonly numbers: readonly SandboxNumber[];
  readonly destinations: Destinations;
  readonly operations: ReadonlySet<OperationName>;
}

/** What the sandbox does with requests to one path and method. */
export type Route =
  | {
      readonly kind: "read";
      readonly operation: Operation;
      /** The answer; `fault` changes a list. */
      answer(fault: ListFault | undefined): Promise<Answer>;
    }
  | {
      readonly kind: "write";
      readonly operation: Operation;
      readonly hasBody: boolean;
      /** The name that faults select requests by. */
      name(body: Body | undefined): string | null;
      answer(body: Body | undefined): Promise<Answer>;
    };

type ByMethod = Readonly<Record<string, Route>>;

/** The routes of a path, by method; undefined if the service does not have this path. */
export function routesOf(path: string, query: URLSearchParams, place: Place): ByMethod | undefined {
  const routes = { ...specified(path, place), ...more(path, query, place) };
  return Object.keys(routes).length === 0 ? undefined : routes;
}

/** The two operations of the specification. */
function specified(path: string, place: Place): ByMethod {
  switch (path) {
    case "/v1/ivr":
      return {
        POST: {
          kind: "write",
          operation: "create",
          hasBody: true,
          name: (body) => (body === undefined ? null : nameIn(body)),
          answer: (body) => create(body, place),
        },
      };
    case "/v1/agents":
      return {
        GET: read("agents", async () => json(200, place.listedAgents, "agents listed")),
      };
    default:
      return {};
  }
}

const addresses: Readonly<Record<OperationName, readonly string[]>> = {
  list: ["/v1/ivrs"],
  update: ["/v1/ivr/{id}"],
  delete: ["/v1/ivr/{id}"],
  numbers: ["/v1/my_number", "/v1/my_number/{id}"],
  users: ["/v1/users", "/v1/departments"],
};

/** The answer to a request for an unknown address. It names those that this sandbox offers. */
export function notFoundText({ operations }: Place): string {
  const more = [...operations].flatMap((operation) => addresses[operation]);
  const all = new Set(["/v1/ivr", "/v1/agents", ...more]);
  return `Not found. The addresses are ${joined([...all], "and")}`;
}

function more(path: string, query: URLSearchParams, place: Place): ByMethod {
  const [, version, collection = "", id, rest] = path.split("/");
  if (version !== "v1" || rest !== undefined) return {};
  const { operations, records, agents } = place;
  const offers = (operation: OperationName, routes: ByMethod) =>
    operations.has(operation) ? routes : {};
  if (id === undefined) {
    switch (collection) {
      case "ivrs":
        return offers("list", { GET: read("list", async (fault) => listMenus(records, fault)) });
      case "my_number":
        return offers("numbers", {
          GET: read("numbers", async (fault) => listNumbers(place, fault)),
        });
      case "users":
        return offers("users", {
          GET: read("users", async () => json(200, userPage(agents, query), "users listed")),
        });
      case "departments":
        return offers("users", {
          GET: read("departments", async () =>
            json(200, departmentList(place.listedAgents), "departments listed"),
          ),
        });
      default:
        return {};
    }
  }
  switch (collection) {
    case "ivr":
      return {
        ...offers("update", { PUT: updateRoute(decode(id), place) }),
        ...offers("delete", { DELETE: deleteRoute(decode(id), place) }),
      };
    case "my_number":
      return offers("numbers", { PUT: bindRoute(decode(id), place) });
    default:
      return {};
  }
}

function read(operation: Operation, answer: Extract<Route, { kind: "read" }>["answer"]): Route {
  return { kind: "read", operation, answer };
}

async function create(body: Body | undefined, place: Place): Promise<Answer> {
  if (body === undefined) return refused(400, "The body is missing");
  if (body.kind === "refused") return body.answer;
  const checked = checkPayload(body.value, place.destinations);
  if (checked.kind === "invalid") return invalidPayload(checked.problem);
  if (checked.kind === "no-menu") return refused(422, checked.problem);
  await place.records.store({ payload: checked.payload });
  return created();
}

function listMenus(records: Records, fault: ListFault | undefined): Answer {
  const { menus } = seen(records.account(), fault);
  const shown = fault?.kind === "truncated" ? menus.slice(0, fault.count) : menus;
  return json(200, menuList(shown), `${many(shown.length, "menu")} listed`);
}

function listNumbers({ records, numbers }: Place, fault: ListFault | undefined): Answer {
  const { bindings } = seen(records.account(), fault);
  const all = numbers.map((number) => currentNumber(number, bindings.get(number.id)));
  const shown = fault?.kind === "truncated" ? all.slice(0, fault.count) : all;
  return json(200, numberList(shown), "numbers listed");
}

function seen(account: Account, fault: ListFault | undefined): Account {
  return fault?.kind === "stale" ? account.before(fault.changes) : account;
}

function updateRoute(id: string, place: Place): Route {
  return {
    kind: "write",
    operation: "update",
    hasBody: true,
    name: (body) => (body === undefined ? null : nameIn(body)),
    async answer(body) {
      const record = place.records.account().menu(id);
      if (record === undefined) return notFound("IVR");
      if (body === undefined) return refused(400, "The body is missing");
      if (body.kind === "refused") return body.answer;
      const checked = checkPayload(body.value, place.destinations);
      // Some services answer 422 here, with a list of messages and a flag in lower case.
      if (checked.kind !== "valid") {
        return json(422, { success: false, message: [checked.problem] }, checked.problem);
      }
      await place.records.store({ update: record.number, payload: checked.payload });
      return done("IVR updated successfully", "updated");
    },
  };
}

function deleteRoute(id: string, { records }: Place): Route {
  return {
    kind: "write",
    operation: "delete",
    hasBody: false,
    name: () => records.account().menu(id)?.payload.name ?? null,
    async answer() {
      const record = records.account().menu(id);
      if (record === undefined) return notFound("IVR");
      await records.store({ delete: record.number });
      return json(200, { Success: true, Message: "IVR deleted successfully" }, "deleted");
    },
  };
}

const BindBody = z.strictObject({
  name: z.exactOptional(z.string()),
  destination: z.string(),
  description: z.exactOptional(z.string()),
});

function bindRoute(id: string, place: Place): Route {
  const number = place.numbers.find((own) => own.id === id);
  return {
    kind: "write",
    operation: "bind",
    hasBody: true,
    name: () => number?.did ?? null,
    async answer(body) {
      if (number === undefined) return notFound("Number");
      if (body === undefined) return refused(400, "The body is missing");
      if (body.kind === "refused") return body.answer;
      const read = validate(BindBody, body.value);
      if (!read.success) return refused(422, read.problem);
      const problem = checkDestination(read.data.destination, place.destinations);
      if (problem !== undefined) return refused(422, problem);
      await place.records.store({ number: id, binding: read.data });
      return done("Number updated successfully", "bound");
    },
  };
}

function done(message: string, outcome: string): Answer {
  return json(200, { success: true, message }, outcome);
}

function notFound(what: string): Answer {
  return json(404, { success: false, message: `${what} not found` }, `${what} not found`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
