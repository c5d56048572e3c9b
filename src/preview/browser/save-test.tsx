import { answers } from "../../call/simulated-call.ts";
import { useEditor } from "./editor.ts";
import { Send } from "./inputs.tsx";
import { type Calling, isDeleted } from "./view.ts";

/** A button that makes a test of the call, if somebody answers and no test has it yet. */
export function SaveTest({ call, menu }: Calling) {
  const editor = useEditor();
  const { state, steps } = call;
  const press = steps.map((step) => step.press);
  const isKnown = menu.findings.some((finding) => finding.press?.join() === press.join());
  const isAnswered = state.at === "ended" && answers(state.destination);
  if (editor === undefined || isDeleted(menu) || isKnown || !isAnswered) return null;
  return (
    <p class="save">
      <Send request={{ do: "test", menu: menu.key, press }} words="Expect this in a test" />
    </p>
  );
}
