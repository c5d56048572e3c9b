import { useState } from "preact/hooks";
import { callTest } from "../../views/call-test.ts";
import { useEditor } from "./editor.ts";
import { type Calling, isDeleted } from "./view.ts";

/** Makes the call a test: with a button or, on a page that only reads, as text for the file of the menu. */
export function SaveTest({ call, menu, around: { data } }: Calling) {
  const editor = useEditor();
  const [refused, setRefused] = useState<string>();
  const test = data.people && callTest(call, data.people);
  if (test === undefined || isDeleted(menu)) return null;
  const press = call.steps.map((step) => step.press);
  const isKnown = menu.findings.some((finding) => finding.press?.join() === press.join());
  if (isKnown) return null;
  if (editor) {
    const save = async () => {
      const answer = await editor.send({ do: "test", menu: menu.key, press });
      setRefused(answer.refused);
    };
    return (
      <p class="save">
        <button type="button" onClick={() => void save()}>
          Expect this in a test
        </button>{" "}
        {refused !== undefined && <span class="bad">{refused}</span>}
      </p>
    );
  }
  const hasTests = menu.findings.some(
    ({ press: keys, place }) => keys && place.startsWith(menu.file),
  );
  return (
    <details class="save">
      <summary>Save this call as a test</summary>
      <p>
        {hasTests ? "Add this line to tests: in " : "Add these lines to "}
        <code>{menu.file}</code>:
      </p>
      <pre tabIndex={0}>{hasTests ? test : `tests:\n${test}`}</pre>
    </details>
  );
}
