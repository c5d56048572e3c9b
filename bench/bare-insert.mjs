// @ts-check
// As many rows, each a transaction: node bare-insert.mjs URL COUNT. It prints the ms.
import pg from "pg";

const [url = "", count] = process.argv.slice(2);
const client = new pg.Client({ connectionString: url });
await client.connect();
await client.query("DROP TABLE IF EXISTS bare");
await client.query(
  "CREATE TABLE bare (environment text, seq bigint, entry text, PRIMARY KEY (environment, seq))",
);
const entry = JSON.stringify({ line: "x".repeat(1000) });
const start = performance.now();
for (let n = 0; n < Number(count); n += 1) {
  await client.query("INSERT INTO bare VALUES ($1, $2, $3)", ["production", n, entry]);
}
console.log(performance.now() - start);
await client.end();
