import { Bucket } from "../../src/deploy/state/s3/bucket.ts";
import { ObjectLog } from "../../src/deploy/state/s3/object-log.ts";
import { type Place, storeConformance } from "./conformance.ts";
import { logConformance } from "./log-conformance.ts";
import { testHost } from "../support/host.ts";
import { objectsOf } from "../support/objects.ts";
import { bucket, freshPrefix, radosgw } from "../support/radosgw.ts";
import { settingsOf, useCredentials } from "../support/s3.ts";

const server = radosgw(useCredentials);

const place = async (): Promise<Place> => {
  const prefix = freshPrefix();
  const settings = () => settingsOf({ bucket, prefix, endpoint: server().endpoint });
  return {
    log: (environment) => {
      return new ObjectLog(new Bucket(import.meta.dirname, settings(), testHost()), environment);
    },
    async remove(environment, n) {
      const name = `log/${String(n).padStart(12, "0")}`;
      await objectsOf(server(), environment, prefix).remove(name);
    },
  };
};

logConformance("an object store", place);
storeConformance("an object store", place);
