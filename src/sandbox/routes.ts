import type { Agent } from "../project/agent-list.ts";
import type { OperationName } from "../schema/operations.ts";
import { validate } from "../schema/validated.ts";
import { joined, many } from "../util/many.ts";
import { type Account, Binding, SandboxRecording } from "./account.ts";
import { type Answer, json, refusedAnswer } from "./http.ts";
import { type Destinations, checkPayload, destinationProblem } from "./check-payload.ts";
import {
  type SandboxNumber,
  departmentList,
  menuList,
  numberList,
  recordingList,
  userPage,
} from "./list-answers.ts";
import type { Records } from "./created-menus.ts";
import type { Quirks } from "./quirks.ts";

/** What the routes work with. */
export interface RouteContext {
  readonly records: Records;
  readonly agents: readonly Agent[];
  /** The agents in the format of the service. */
  readonly listedAgents: readonly unknown[];
  readonly numbers: readonly SandboxNumber[];
  readonly destinations: Destinations;
  readonly operations: ReadonlySet<OperationName>;
  readonly quirks: Quirks;
}

/** A request to a route. */
interface Call {
  readonly place: RouteContext;
  /** What lists show, and what the id is looked up in. */
  readonly account: Account;
  /** The id in the path. Empty if the path has none. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** The JSON object in the body. Empty if the method has no body. */
  readonly body: object;
}

interface Route {
  /** The operations that have it. Undefined for the two requests of the specification. */
  readonly needs?: readonly OperationName[];
  /** The name of the menu, or the phone number, that a write is about. */
  name?(call: Call): string | null;
  answer(call: Call): Answer;
}

/** The requests that the sandbox answers. */
const routes: Readonly<Record<string, Route>> = {
  "POST /v1/ivr": { name: nameInBody, answer: createMenu },
  "GET /v1/agents": {
    answer: ({ place }) => json(200, place.listedAgents, "agents listed"),
  },
  "GET /v1/ivrs": {
    needs: ["list"],
    answer: ({ place, account: { menus, recordings } }) =>
      json(
        200,
        menuList(menus, place.quirks, place.quirks.listed(recordings)),
        `${many(menus.length, "menu")} listed`,
      ),
  },
  "PUT /v1/ivr/{id}": {
    needs: ["update"],
    name: nameInBody,
    answer: updateMenu,
  },
  "DELETE /v1/ivr/{id}": {
    needs: ["delete"],
    name: ({ account, id }) => account.menu(id)?.payload.name ?? null,
    answer: deleteMenu,
  },
  "GET /v1/my_number": {
    needs: ["numbers"],
    answer: ({ place, account }) =>
      json(200, numberList(currentNumbers(place, account)), "numbers listed"),
  },
  "PUT /v1/my_number/{id}": {
    needs: ["numbers"],
    name: ({ place, id }) => place.numbers.find((number) => number.id === id)?.did ?? null,
    answer: bindNumber,
  },
  "GET /v1/users": {
    needs: ["users"],
    answer: ({ place, query }) => json(200, userPage(place.agents, query), "users listed"),
  },
  "GET /v1/departments": {
    needs: ["users", "departments"],
    answer: ({ place }) => json(200, departmentList(place.agents), "departments listed"),
  },
  "GET /v1/recordings": {
    needs: ["recordings"],
    answer: ({ place, account: { menus, recordings } }) =>
      json(200, recordingList(menus, place.quirks.listed(recordings)), "recordings listed"),
  },
  "POST /v1/recording": { needs: ["record"], name: recordingInBody, answer: makeRecording },
  "GET /v1/recording/batch_status/{id}": { needs: ["record"], answer: batchStatus },
};

/** The route of a request and the id in its path, or the answer that refuses it. */
export function findRoute(
  method: string | undefined,
  path: string,
  { operations, quirks }: RouteContext,
): { readonly route: Route; readonly id: string } | Answer {
  const offered = Object.entries(routes)
    .filter(
      ([key, { needs }]) =>
        needs === undefined ||
        needs.some((name) => operations.has(name)) ||
        (key === "GET /v1/ivrs" && quirks.names.has("list")),
    )
    .map(([key, route]) => ({ route, key, path: key.replace(/.* /, "") }));
  const matches = offered.flatMap(({ route, key, path: pattern }) => {
    const [, id] = new RegExp(`^${pattern.replace("{id}", "([^/]+)")}()$`).exec(path) ?? [];
    return id === undefined ? [] : { route, id, method: key.replace(/ .*/, "") };
  });
  if (matches.length === 0) {
    const all = new Set(offered.map((route) => route.path));
    return refusedAnswer(404, `Not found. The addresses are ${joined([...all], "and")}`);
  }
  const methods = matches.map((match) => match.method);
  return (
    matches.find((match) => match.method === method) ??
    refusedAnswer(405, `${path} accepts only ${methods.join(" and ")}`, {
      allow: methods.join(", "),
    })
  );
}

/** The phone numbers with what they point to. */
export function currentNumbers({ numbers }: RouteContext, { bindings }: Account): SandboxNumber[] {
  return numbers.map((number) => Object.assign({}, number, bindings.get(number.id)));
}

function nameInBody({ body }: Call): string | null {
  return "name" in body && typeof body.name === "string" ? body.name : null;
}

function recordingInBody({ body }: Call): string | null {
  return "audio_name" in body && typeof body.audio_name === "string" ? body.audio_name : null;
}

function makeRecording({ place, body }: Call): Answer {
  const read = validate(SandboxRecording, stripped(body));
  if (!read.success) return refusedAnswer(422, read.problem);
  if (place.quirks.names.has("text-type") && read.data.type !== "url") {
    return json(
      422,
      { success: false, message: { type: ["The selected type is invalid."] } },
      "refused",
    );
  }
  place.records.store({ recording: read.data });
  const batch = place.records.account().recordings.length;
  const message = "Recording is being processed";
  const named = place.quirks.names.has("no-batch") ? {} : { batch_id: `B${batch}` };
  return json(200, { success: true, message, ...named }, "accepted");
}

/** The fields that the sandbox keeps. */
function stripped(body: object): object {
  const { audio_name, type, data } = Object.fromEntries(Object.entries(body));
  return { audio_name, type, data };
}

function batchStatus({ place, account, id }: Call): Answer {
  const made = account.recordings[Number(id.replace(/^B/, "")) - 1];
  if (made === undefined) return notFound("Batch");
  const status = place.quirks.batch(id);
  if (status === "failed") {
    return json(200, { success: false, message: "The text could not be converted" }, "failed");
  }
  return status === "waiting"
    ? json(200, { success: true, message: "Processing" }, "processing")
    : json(200, { success: true, message: "Completed", recording_id: made.id }, "ready");
}

function createMenu({ place, body }: Call): Answer {
  const checked = checkPayload(body, place.destinations);
  const refusal = "payload" in checked && place.quirks.refusal(checked.payload);
  if (refusal) return json(422, { success: false, message: refusal }, "refused");
  if ("payload" in checked) {
    if (!place.quirks.names.has("created")) place.records.store(checked);
    return json(200, { Success: true, Message: "IVR created successfully" }, "created");
  }
  const { problem, isOnlyLinks } = checked;
  // `Success` is true for an invalid payload, as in the service's documentation.
  return isOnlyLinks
    ? refusedAnswer(422, problem)
    : json(400, { Success: true, Message: problem }, problem);
}

function updateMenu({ place, account, id, body }: Call): Answer {
  const record = account.menu(id);
  if (record === undefined) return notFound("IVR");
  const checked = checkPayload(body, place.destinations);
  // Some services answer 422 here, with a list of messages and a flag in lower case.
  if ("problem" in checked) {
    return json(422, { success: false, message: [checked.problem] }, checked.problem);
  }
  const refusal = place.quirks.refusal(checked.payload);
  if (refusal) return json(422, { success: false, message: refusal }, "refused");
  const payload = place.quirks.updated(record.payload, checked.payload);
  place.records.store({ update: record.number, payload });
  return json(200, { success: true, message: "IVR updated successfully" }, "updated");
}

function deleteMenu({ place, account, id }: Call): Answer {
  const record = account.menu(id);
  if (record === undefined) return notFound("IVR");
  if (place.quirks.names.has("deletes"))
    return json(422, { success: false, message: "The IVR is in use" }, "refused");
  place.records.store({ delete: record.number });
  return json(200, { Success: true, Message: "IVR deleted successfully" }, "deleted");
}

function bindNumber({ place, id, body }: Call): Answer {
  if (!place.numbers.some((number) => number.id === id)) return notFound("Number");
  const read = validate(Binding, body);
  if (!read.success) return refusedAnswer(422, read.problem);
  const problem = destinationProblem(read.data.destination, place.destinations);
  if (problem !== undefined) return refusedAnswer(422, `destination${problem}`);
  place.records.store({ number: id, binding: read.data });
  return json(200, { success: true, message: "Number updated successfully" }, "bound");
}

function notFound(what: string): Answer {
  return json(404, { success: false, message: `${what} not found` }, `${what} not found`);
}
