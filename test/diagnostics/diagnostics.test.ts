import { expect, test } from "vitest";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";

test("keeps one problem for each code and place, but every list that the service did not return", () => {
  const at = new Source("ivrctl.yaml", "service: sandbox\n").span(0, 7);
  const diagnostics = new Diagnostics();
  for (const what of ["menus", "phone numbers"]) {
    diagnostics.add("IVR503", at, `There is no list of ${what}.`);
    diagnostics.add("IVR203", at, `Unusable for ${what}.`);
  }
  expect(diagnostics.sorted().map(({ message }) => message)).toEqual([
    "Unusable for menus.",
    "There is no list of menus.",
    "There is no list of phone numbers.",
  ]);
});
