import { type Call } from "../call/simulated-call.ts";
import type { Picture } from "./picture.ts";
import { pathName } from "../model/call-menu.ts";

/** The boxes and lines of an SVG with links that a call has taken, and the menu that it is in, as CSS selectors. */
export function partsTaken({ menu, steps }: Call, { menus, paths }: Picture) {
  const indexOf = (key: string) => menus.findIndex((box) => box.menu === key);
  const taken = steps.flatMap((step) => {
    if (!step.enters && step.state.at === "waiting") return [];
    const [from, name] = [indexOf(step.in), pathName({ via: step.as, key: step.press })];
    const at = paths.findIndex((path) => path.from === from && path.names.includes(name));
    return [`[data-path="${at}"]`, `[data-box="${from}"]`, `[data-box="${paths[at]?.to}"]`];
  });
  return { taken, inside: `[data-box="${indexOf(menu.key)}"]` };
}
