import type * as S3 from "@aws-sdk/client-s3";
import { loadPackage } from "../package.ts";
import { StateProblem } from "../store.ts";

/** As much of the package `@aws-sdk/client-s3` as is used. */
export type Driver = Pick<
  typeof S3,
  "S3Client" | "PutObjectCommand" | "GetObjectCommand" | "ListObjectsV2Command"
>;

const name = "@aws-sdk/client-s3";

export function loadDriver(root: string): Driver {
  // What it has to say of Node's versions is no business of whoever applies menus.
  process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
  const driver = loadPackage(name, root, isDriver);
  if (driver !== undefined) return driver;
  throw new StateProblem(
    "IVR671",
    `A state in an object store needs the package \`${name}\`, which is not installed.`,
    `Install it beside ivrctl: npm install ${name} (npm install --global ${name} where ivrctl is global; npx --package ivrctl --package ${name} ivrctl …).`,
  );
}

function isDriver(value: unknown): value is Driver {
  return (
    typeof value === "object" &&
    value !== null &&
    "S3Client" in value &&
    typeof value.S3Client === "function" &&
    "ListObjectsV2Command" in value
  );
}
