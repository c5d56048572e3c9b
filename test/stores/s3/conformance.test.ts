import { freshPrefix, radosgw } from "../../support/radosgw.ts";
import { leaveDeadLock, storeAt, useCredentials } from "../../support/s3.ts";
import { fillingConformance } from "../../deploy/state/conformance-filling.ts";
import { storeConformance } from "../../deploy/state/conformance.ts";

const server = radosgw(useCredentials);
const place = async () => {
  const prefix = freshPrefix();
  return {
    open: (environment: string) => storeAt(server().endpoint, prefix, { environment }),
    leaveDeadLock: (environment: string, id: string) =>
      leaveDeadLock(server().endpoint, prefix, environment, id),
  };
};

storeConformance("the object store", place);
fillingConformance("the object store", place);
