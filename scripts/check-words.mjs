// Fails if a file contains a word that this project has replaced by a clearer one.
//
//   npm run check:words -- [PATH…]      default: all files in git

import { execFileSync } from "node:child_process";
import { lstatSync, readFileSync } from "node:fs";

/** Each entry: the pattern to avoid, and what to write instead. Fields of file formats keep their names. */
const replaced = [
  [/\bmend(s|ed|ing)?\b(?!"?\??:)/i, "fix"],
  [/\btold\b|\b(is|are|was|were|be) said\b/i, "reported, shown or printed"],
  [/\b(stands|stood)\b(?! for\b)/i, "is"],
  [/\bat fault\b|\bunsound\b|\b(not )?well-formed\b/i, "invalid (or valid)"],
  [/\banew\b/i, "again, or from scratch"],
  [/\bjudg(e|es|ed|ing|ement|ment)\b/i, "check, validate or lint"],
  [/\bhouse[- ]?rules?\b/i, "custom rules"],
  [/\bways\b(?! (to|in)\b|"?:)|[a-z]Ways\b/, "paths"],
  [/\b(strike|struck|strikes)\b/i, "mark as done"],
  [/\bof then\b|\bof another moment\b/i, "from the old revision, or stale"],
  [/\bvery character\b/i, "at the exact line and column"],
  [/\b(run|process) that is (stopped|frozen)\b|\b(stopped|frozen) run\b/i, "a suspended process"],
  [/\bunknown over current\b/i, "live, replacement unconfirmed"],
  [/(?<!\.)\bsettl(e|es|ed|ing|ement)\b(?!"?[:\]])/i, "resolve"],
  [/\bkept code\b|\bwhat is kept\b/i, "cache"],
  [/\bthe other side\b/i, "the service, or the server"],
  [/\b(is|was) waited for\b/i, "waiting for"],
  [/\bgone another way\b/i, "has a different history"],
  [/\bhardly\b/i, "rarely"],
];

const self = "scripts/check-words.mjs";
const listed = execFileSync("git", ["ls-files", "-z", "--", ...process.argv.slice(2)], {
  encoding: "utf8",
});
let findings = 0;
for (const file of listed.split("\0").filter((name) => name !== "" && name !== self)) {
  if (!lstatSync(file).isFile()) continue; // a symbolic link of a test case
  const text = readFileSync(file, "utf8");
  if (text.includes("\0")) continue; // a binary file
  for (const [number, line] of text.split("\n").entries()) {
    for (const [pattern, instead] of replaced) {
      const found = pattern.exec(line);
      if (found === null) continue;
      findings += 1;
      process.stderr.write(`${file}:${number + 1}: "${found[0]}": write ${instead}\n`);
    }
  }
}
if (findings > 0) {
  process.stderr.write(`\n${findings} to replace. The list is in ${self}.\n`);
  process.exitCode = 1;
}
