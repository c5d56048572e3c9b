import { marked } from "marked";
import { describe, expect, test } from "vitest";
import { menu, project, service } from "../support/project.ts";
import { textOf } from "../support/rendered.ts";

const plan = ["plan", "--format", "markdown"];

describe("plan --format markdown", () => {
  test("has every line of the text", async () => {
    const { url } = await service();
    const { run, write } = project(url, { desk: menu("Desk") });
    await run("apply", "--auto-approve");
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    write("ivrs/new.yaml", menu("New"));
    const [text, comment] = [(await run("plan")).stdout, (await run(...plan)).stdout];
    const shown = textOf(marked.parse(comment, { async: false }));
    const [, changes = ""] = /^What changes for callers\n(.*?)\n\n/s.exec(text) ?? [];
    const cells = changes.split("\n").flatMap((line) => line.trim().split(/ {2,}/));
    expect(cells).toHaveLength(4);
    for (const cell of cells) expect(shown).toContain(cell);
  });
});
