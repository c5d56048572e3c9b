// @ts-check
import { setTimeout as sleep } from "node:timers/promises";
import { parsed } from "./json.mjs";
import { Problem } from "./problem.mjs";

/**
 * @typedef {object} Call
 * @property {"GET" | "POST" | "PATCH" | "PUT"} [method]
 * @property {unknown} [body]
 * @property {string} needs the permission that the token needs, as GitHub or GitLab names it
 * @property {readonly number[]} [fine] statuses that are not errors
 */

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {unknown} value
 * @property {Buffer} bytes
 * @property {string | undefined} next the address of the next page
 */

const attempts = 4;
const timeout = 30_000;
const longestWait = 20_000;

/**
 * The API of GitHub or GitLab. Sends the token only to that origin, and follows redirects to other
 * origins without it. Retries after network and server errors, except for POST, which may already
 * have taken effect.
 */
export class Api {
  /** @type {string} */ #base;
  /** @type {Readonly<Record<string, string>>} */ #headers;
  /** @type {string} */ #name;

  /**
   * @param {string} name
   * @param {string} base
   * @param {Readonly<Record<string, string>>} headers
   */
  constructor(name, base, headers) {
    this.#name = name;
    this.#base = base.replace(/\/+$/, "");
    this.#headers = headers;
  }

  /**
   * @param {string} path
   * @param {Call} call
   * @returns {Promise<Answer>}
   */
  async ask(path, call) {
    const url = path.startsWith("/") ? new URL(this.#base + path) : new URL(path);
    if (url.origin !== new URL(this.#base).origin) {
      throw new Problem(`${this.#name} returned a link to another server, ${url.origin}.`);
    }
    const method = call.method ?? "GET";
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#once(url, method, call);
      const again = method !== "POST" && attempt < attempts;
      if (response instanceof Response) {
        const { status } = response;
        if (again && (status === 429 || status >= 500)) {
          await sleep(pause(attempt, response.headers.get("retry-after")));
          continue;
        }
        return this.#read(response, url, method, call);
      }
      if (!again) {
        throw new Problem(`Cannot reach ${this.#name}: ${method} ${url.pathname}: ${response}.`);
      }
      await sleep(pause(attempt, null));
    }
  }

  /**
   * Returns all items of a list, page by page.
   *
   * @param {string} path
   * @param {Call} call
   * @returns {Promise<unknown[]>}
   */
  async list(path, call) {
    const all = [];
    /** @type {string | undefined} */
    let page = path;
    for (let pages = 0; page !== undefined && pages < 100; pages += 1) {
      /** @type {Answer} */
      const { value, next } = await this.ask(page, call);
      if (!Array.isArray(value))
        throw new Problem(`${this.#name} did not answer ${path} with a list.`);
      all.push(...value);
      page = next;
    }
    return all;
  }

  /**
   * @param {URL} url
   * @param {string} method
   * @param {Call} call
   * @returns {Promise<Response | string>} the answer, or the reason why there is none
   */
  async #once(url, method, { body }) {
    let here = url;
    for (let hops = 0; hops < 4; hops += 1) {
      const own = here.origin === url.origin;
      try {
        const response = await fetch(here, {
          method,
          redirect: "manual",
          signal: AbortSignal.timeout(timeout),
          headers: {
            "user-agent": "ivrctl",
            ...(own ? this.#headers : {}),
            ...(body === undefined ? {} : { "content-type": "application/json" }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const location = response.headers.get("location");
        if (method !== "GET" || response.status < 300 || response.status > 399 || !location) {
          return response;
        }
        await response.body?.cancel();
        here = new URL(location, here);
      } catch (error) {
        return reasonOf(error);
      }
    }
    return "too many redirects";
  }

  /**
   * @param {Response} response
   * @param {URL} url
   * @param {string} method
   * @param {Call} call
   * @returns {Promise<Answer>}
   */
  async #read(response, url, method, { needs, fine = [] }) {
    const { status } = response;
    const bytes = Buffer.from(await response.arrayBuffer());
    const value = parsed(bytes.toString("utf8"));
    if (response.ok || fine.includes(status)) {
      return { status, value, bytes, next: nextPage(response.headers.get("link")) };
    }
    const asked = `${method} ${url.pathname}`;
    if (status === 401) {
      throw new Problem(`${this.#name} does not accept the token (HTTP 401): ${asked}.`);
    }
    if (status === 403 || status === 404) {
      throw new Problem(`${this.#name} refused the request (HTTP ${status}): ${asked}.`, {
        hint: `The token needs: ${needs}.`,
      });
    }
    throw new Problem(`${this.#name} answered with HTTP ${status}: ${asked}.`);
  }
}

/**
 * @param {number} attempt
 * @param {string | null} retryAfter
 */
function pause(attempt, retryAfter) {
  const asked = Number(retryAfter ?? Number.NaN) * 1000;
  return Math.min(Number.isFinite(asked) ? asked : 300 * 2 ** attempt, longestWait);
}

/** @param {string | null} link */
function nextPage(link) {
  return /<([^>]+)>\s*;\s*rel="?next"?/.exec(link ?? "")?.[1];
}

/** @param {unknown} error */
function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
