import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/*
 * Starts a server with the part of the GitLab API that the scripts use. Another server returns the
 * artifacts, as on an instance with object storage.
 */

export interface Note {
  readonly id: number;
  readonly author: { readonly id: number };
  body: string;
}

export interface MergeRequest {
  readonly iid: number;
  sha: string;
  readonly source_project_id: number;
  readonly target_project_id: number;
  state: "opened" | "merged";
  merge_commit_sha: string | null;
}

export interface Job {
  readonly id: number;
  readonly name: string;
  readonly ref: string;
  readonly pipeline: { readonly id: number; readonly project_id: number };
  readonly source: string;
  readonly iid: number | undefined;
  status: "success" | "failed";
  files: ReadonlyMap<string, Buffer>;
}

export const projectId = 7;
export const gitlabToken = "glpat-t0ken-of-the-forge";
const me = 42;

export async function startGitlab() {
  const state = {
    notes: new Array<Note>(),
    mergeRequests: new Array<MergeRequest>(),
    jobs: new Array<Job>(),
    asked: new Array<string>(),
    /** The headers that the object storage received. */
    stored: new Array<string>(),
  };
  let nextNote = 500;

  function answer(method: string, path: string, body: { body?: string }): unknown {
    if (path === "/user") return { id: me };
    const rest = path.replace(`/projects/${projectId}`, "");
    const notes = /^\/merge_requests\/\d+\/notes(?:\/(\d+))?$/.exec(rest);
    if (notes !== null) {
      if (method === "GET") return state.notes;
      const own = state.notes.find(({ id }) => id === Number(notes[1]));
      if (method === "PUT" && own !== undefined) own.body = body.body ?? "";
      else if (method === "POST") {
        state.notes.push({ id: (nextNote += 1), author: { id: me }, body: body.body ?? "" });
      } else return undefined;
      return {};
    }
    const commit = /^\/repository\/commits\/(\w+)\/merge_requests$/.exec(rest)?.[1];
    if (commit !== undefined) {
      return state.mergeRequests.filter((one) => [one.sha, one.merge_commit_sha].includes(commit));
    }
    const request = /^\/merge_requests\/(\d+)(\/pipelines)?$/.exec(rest);
    if (request !== null) {
      const iid = Number(request[1]);
      if (request[2] === undefined) return state.mergeRequests.find((one) => one.iid === iid);
      return state.jobs
        .filter((job) => job.iid === iid)
        .map(({ pipeline, source, status }) => ({ ...pipeline, source, status }));
    }
    const pipeline = /^\/pipelines\/(\d+)\/jobs$/.exec(rest)?.[1];
    if (pipeline !== undefined) {
      return state.jobs.filter((job) => job.pipeline.id === Number(pipeline)).map(shown);
    }
    const job = /^\/jobs\/(\d+)$/.exec(rest)?.[1];
    const found = state.jobs.find(({ id }) => id === Number(job));
    return found && shown(found);
  }

  const storage = createServer((request, response) => {
    state.stored.push(JSON.stringify(request.headers));
    const [, job = "", path = ""] = /^\/(\d+)\/(.*)$/.exec(request.url ?? "") ?? [];
    const content = state.jobs.find(({ id }) => `${id}` === job)?.files.get(path);
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  const storageUrl = await listen(storage);

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { pathname } = new URL(request.url ?? "/", "http://forge");
      state.asked.push(`${request.method} ${pathname}`);
      const artifact = /^\/projects\/\d+\/jobs\/(\d+)\/artifacts\/(.*)$/.exec(pathname);
      if (request.headers["private-token"] !== gitlabToken) {
        response.writeHead(401).end("{}");
      } else if (artifact !== null) {
        const location = `${storageUrl}/${artifact[1]}/${artifact[2]}`;
        response.writeHead(302, { location }).end();
      } else {
        const text = Buffer.concat(chunks).toString("utf8");
        const value = answer(request.method ?? "", pathname, JSON.parse(text || "{}"));
        response.writeHead(value === undefined ? 404 : 200).end(JSON.stringify(value ?? {}));
      }
    });
  });
  return Object.assign(state, { url: await listen(server) });
}

function shown({ id, name, ref, pipeline }: Job) {
  return { id, name, ref, pipeline };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
