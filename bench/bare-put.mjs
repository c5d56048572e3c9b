// @ts-check
// As many objects, one after the other: node bare-put.mjs ENDPOINT BUCKET PREFIX COUNT. It prints the ms.
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";

const [endpoint = "", Bucket, prefix, count] = process.argv.slice(2);
const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true });
const Body = JSON.stringify({ line: "x".repeat(1000) });
const put = (/** @type {string | number} */ name) =>
  client.send(new PutObjectCommand({ Bucket, Key: `${prefix}/${name}`, Body, IfNoneMatch: "*" }));
await put("first");
const start = performance.now();
for (let n = 0; n < Number(count); n += 1) await put(n);
console.log(performance.now() - start);
