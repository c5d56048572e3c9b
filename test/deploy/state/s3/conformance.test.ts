import { beforeAll } from "vitest";
import { freshPrefix, radosgw } from "../../../support/radosgw.ts";
import { credentialsOf, storeAt } from "../../../support/s3.ts";
import { storeConformance } from "../conformance.ts";

const server = radosgw();
beforeAll(() => {
  Object.assign(process.env, credentialsOf(server()));
});

storeConformance("the object store", async () => {
  const prefix = freshPrefix();
  return { open: (environment) => storeAt(server().endpoint, prefix, { environment }) };
});
