import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/*
 * Starts a server with the part of the GitHub API that the scripts use. It stores what it receives,
 * requires the token, and returns lists page by page.
 */

export interface Comment {
  readonly id: number;
  readonly user: { readonly login: string };
  body: string;
}

export interface Pull {
  readonly number: number;
  readonly head: { sha: string; readonly repo: { readonly full_name: string } | null };
  readonly base: { readonly sha: string; readonly repo: { readonly full_name: string } };
  merged_at: string | null;
  merge_commit_sha: string | null;
}

export interface Run {
  readonly id: number;
  readonly event: string;
  readonly head_sha: string;
  readonly head_branch: string;
  readonly path: string;
  readonly repository: { readonly full_name: string };
  readonly head_repository: { readonly full_name: string };
  conclusion: "success" | "failure" | null;
}

export interface Artifact {
  readonly run: number;
  readonly name: string;
  readonly files: ReadonlyMap<string, Buffer>;
  expired: boolean;
}

interface Asked {
  readonly method: string;
  readonly path: string;
}

export const forgeToken = "ghs_t0ken-of-the-forge";
const pageSize = 2;

export async function startGithub(repository: string) {
  const state = {
    comments: new Array<Comment>(),
    pulls: new Array<Pull>(),
    runs: new Array<Run>(),
    artifacts: new Array<Artifact>(),
    asked: new Array<Asked>(),
    /** Whether the token has write permission. */
    writable: true,
    /** Answers to send first. */
    troubles: new Array<number>(),
  };
  let nextId = 100;

  function answer(method: string, url: URL, body: unknown): Reply {
    const path = url.pathname.replace(`/repos/${repository}`, "");
    const query = url.searchParams;
    if (url.pathname === "/user")
      return { status: 403, value: { message: "Resource not accessible" } };
    if (method !== "GET" && !state.writable) return { status: 403, value: {} };
    const comments = /^\/issues\/(\d+)\/comments$/.exec(path);
    if (comments !== null && method === "GET") return page(state.comments, url);
    if (comments !== null && method === "POST") {
      const text = textOf(body);
      if (text.length > 65_536) return { status: 422, value: {} };
      const comment = { id: (nextId += 1), user: { login: "github-actions[bot]" }, body: text };
      state.comments.push(comment);
      return { status: 201, value: comment };
    }
    const one = /^\/issues\/comments\/(\d+)$/.exec(path);
    const own = state.comments.find(({ id }) => id === Number(one?.[1]));
    if (own !== undefined && method === "PATCH") {
      own.body = textOf(body);
      return { status: 200, value: own };
    }
    const commit = /^\/commits\/([0-9a-f]+)\/pulls$/.exec(path)?.[1];
    if (commit !== undefined) {
      return page(
        state.pulls.filter((pull) => [pull.head.sha, pull.merge_commit_sha].includes(commit)),
        url,
      );
    }
    if (/^\/actions\/workflows\/ivrctl\.yml\/runs$/.test(path)) {
      const runs = state.runs.filter(
        (run) => run.head_sha === query.get("head_sha") && run.event === query.get("event"),
      );
      return { status: 200, value: { workflow_runs: runs } };
    }
    const run = /^\/actions\/runs\/(\d+)(\/artifacts)?$/.exec(path);
    if (run !== null) {
      const id = Number(run[1]);
      const found = state.runs.find((known) => known.id === id);
      if (found === undefined) return { status: 404, value: {} };
      if (run[2] === undefined) return { status: 200, value: found };
      const artifacts = state.artifacts
        .filter((artifact) => artifact.run === id && artifact.name === query.get("name"))
        .map(({ name, expired }) => ({ name, expired }));
      return { status: 200, value: { artifacts } };
    }
    return { status: 404, value: { message: "Not Found" } };
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "GET", headers } = request;
      const url = new URL(request.url ?? "/", "http://forge");
      state.asked.push({ method, path: url.pathname });
      const trouble = state.troubles.shift();
      const text = Buffer.concat(chunks).toString("utf8");
      const { status, value, next }: Reply =
        headers.authorization !== `Bearer ${forgeToken}`
          ? { status: 401, value: { message: "Bad credentials" } }
          : trouble !== undefined
            ? { status: trouble, value: {} }
            : answer(method, url, text === "" ? undefined : JSON.parse(text));
      const { port } = server.address() as AddressInfo;
      if (next !== undefined) {
        response.setHeader("link", `<http://127.0.0.1:${port}${next}>; rel="next"`);
      }
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, { url: `http://127.0.0.1:${port}` });
}

export type Github = Awaited<ReturnType<typeof startGithub>>;

interface Reply {
  readonly status: number;
  readonly value: unknown;
  readonly next?: string;
}

function page(all: readonly unknown[], url: URL): Reply {
  const number = Number(url.searchParams.get("page") ?? 1);
  const value = all.slice((number - 1) * pageSize, number * pageSize);
  if (number * pageSize >= all.length) return { status: 200, value };
  const next = new URL(url);
  next.searchParams.set("page", `${number + 1}`);
  return { status: 200, value, next: next.pathname + next.search };
}

function textOf(body: unknown): string {
  return typeof body === "object" && body !== null && "body" in body ? String(body.body) : "";
}
