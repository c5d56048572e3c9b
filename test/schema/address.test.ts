import { expect, test } from "vitest";
import { isLoopback } from "../../src/util/address.ts";

test.each(["localhost", "LocalHost", "127.0.0.1", "127.10.100.255", "[::1]", "::1"])(
  "%s is this machine",
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

test.each(["localhost.example", "127.0.0", "127.0.0.1.example", "128.0.0.1", "10.127.0.0.1", "::"])(
  "%s may be a different machine",
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
