import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exampleProject, folder, pathWithIvrctl, root, start } from "../support/cli.ts";
import { need } from "../support/needs.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");

test("Neovim works with `ivrctl lsp` and the settings in the docs", async () => {
  need("Neovim");
  const [, settings = ""] = /^```lua\n(.*?)^```/ms.exec(read("docs/editors.md")) ?? [];
  const place = folder({ "settings.lua": settings });
  const example = read("ivrs/example.yaml");
  const cwd = exampleProject({ "ivrs/example.yaml": example.replace("Asha Rao", "Asha Ro") });
  const [lua, written] = [join(import.meta.dirname, "neovim.lua"), join(place, "result.json")];
  const { exit, stderr } = await start(
    "nvim",
    ["--clean", "--headless", "-n", "-S", join(place, "settings.lua"), "-S", lua],
    { cwd, env: { PATH: pathWithIvrctl(), RESULT: written } },
  ).finished;
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
  expect(JSON.parse(readFileSync(written, "utf8"))).toEqual({
    diagnostics: ["6:26 IVR301 No agent is called `Asha Ro`."],
    unsaved: true,
    completion: ["welcome"],
    hover: [
      "Recording welcome (id 19549, 7 seconds)",
      "",
      '"For sales, press 1. For billing, press 2. For an operator, press 0."',
    ],
    definition: ["ivrctl.yaml", "  welcome:"],
    formatted: example.trimEnd().split("\n"),
  });
});
