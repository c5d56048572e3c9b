import { expect, test } from "vitest";
import { notesOn } from "../../../../src/deploy/plan/steps/notes.ts";
import { planSteps } from "../../../../src/deploy/plan/steps/plan-steps.ts";
import {
  type Lists,
  inboundLinks,
  resourcesOf,
} from "../../../../src/deploy/plan/steps/resources.ts";
import type { StateView } from "../../../../src/deploy/state/state.ts";
import {
  type Allowed,
  type Files,
  canOf,
  desk,
  f,
  li,
  listsOf,
  m,
  stateOf,
  up,
  wantedIn,
} from "./world.ts";

function notesFor(files: Files, state: StateView, lists: Lists, allowed: Allowed = up): string[] {
  const resources = resourcesOf(wantedIn(files), state, lists);
  const links = inboundLinks(resources, state, lists);
  const steps = planSteps(resources, links, canOf(lists, allowed));
  return notesOn(resources, steps, state, lists).map(({ code, ref, of = [] }) =>
    `${code} ${ref} ${of.join(" ")}`.trim(),
  );
}

test("an old menu is identical to a new one of another key", () => {
  const state = stateOf({ "old:F4": { menu: m("A"), owner: "x" } });
  expect(notesFor({ a: f("A") }, state, {}, {})).toEqual(["IVR614 menu:a old:F4"]);
});

test("the service has a menu with the name of a new one", () => {
  const listed = listsOf([li("7", m("A", { "1": desk }))]);
  expect(notesFor({ a: f("A") }, stateOf({}), listed)).toEqual(["IVR639 menu:a 7"]);
});

test("a menu cannot be found in the list", () => {
  const state = stateOf({ "menu:a": { menu: m("A") } });
  expect(notesFor({ a: f("A") }, state, listsOf([]))).toEqual(["IVR637 menu:a"]);
  expect(notesFor({ a: f("A") }, state, {}, {})).toEqual([]);
});

test("a number still leads to a menu that does not name it any more", () => {
  const state = stateOf({ "menu:a": { menu: m("A"), id: "1", numbers: ["+901"] } });
  const listed = listsOf([li("1", m("A"))], { "+901": "ivr||1" });
  expect(notesFor({ a: f("A") }, state, listed)).toEqual(["IVR669 menu:a +901"]);
  expect(notesFor({ a: f("A", {}, { numbers: ["+901"] }) }, state, listed)).toEqual([]);
  expect(notesFor({ a: f("A") }, state, listsOf([li("1", m("A"))], { "+901": null }))).toEqual([]);
});
