// Prints each different hunk of the changed golden cases once, with its count and its files.
// Usage: npm run review [REVISION], to compare with another revision than HEAD.
import { execFileSync } from "node:child_process";

const folder = "test/cases/";
const revision = process.argv[2] ?? "HEAD";
const diff = git("diff", "--unified=0", "--no-renames", "--no-color", revision, "--", folder);
const added = git("ls-files", "--others", "--exclude-standard", "--", folder);

/** How often each hunk is in each file. */
const hunks = new Map();
for (const part of diff.split(/^diff --git .*\n/m).slice(1)) {
  const [head, ...bodies] = part.split(/^@@ .*\n/m);
  const file = /^(?:---|\+\+\+) [ab]\/(.*)$/m.exec(head)?.[1] ?? "a file that is not text";
  for (const body of bodies) {
    const files = hunks.get(body) ?? new Map();
    files.set(file, (files.get(file) ?? 0) + 1);
    hunks.set(body, files);
  }
}

const counted = [...hunks].map(([body, files]) => ({ body, files, count: total(files) }));
counted.sort((a, b) => b.count - a.count);
for (const { body, files, count } of counted) {
  const names = Array.from(
    files,
    ([file, times]) => short(file) + (times > 1 ? ` (${times})` : ""),
  );
  print(`${count} × in ${names.join(", ")}\n${body}\n`);
}
for (const file of added.split("\n").filter(Boolean)) print(`new: ${short(file)}\n`);
const changes = counted.reduce((sum, { count }) => sum + count, 0);
print(`${changes} changes, ${counted.length} of them different.\n`);

function git(...args) {
  return execFileSync("git", args, { encoding: "utf8", maxBuffer: 2 ** 30 });
}

function total(files) {
  return [...files.values()].reduce((sum, times) => sum + times, 0);
}

function short(file) {
  return file.replace(folder, "");
}

function print(text) {
  process.stdout.write(text);
}
