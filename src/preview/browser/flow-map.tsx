import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type Call, pathName } from "../../call/model.ts";
import { type Picture, flowPicture, menuPicture } from "../../graph/picture.ts";
import { svg } from "../../graph/svg.ts";
import type { PreviewMenu } from "../data.ts";
import { type Project, flowFrom, menuAddress } from "./view.ts";

interface FlowMapProps {
  /** The menu where the call begins. */
  readonly first: PreviewMenu;
  readonly around: Project;
  /** Its path lights up. */
  readonly call?: Call;
}

/** The flow of all calls that begin in a menu, as `ivrctl graph` draws it. The boxes of menus are links. */
export function FlowMap({ first, around, call }: FlowMapProps) {
  const box = useRef<HTMLDivElement>(null);
  const picture = useMemo(() => {
    const menus = flowFrom(first, around);
    return menus.length === 1 && first.call
      ? menuPicture(first.call, around)
      : flowPicture(menus, around, new Set([first.key]));
  }, [first, around]);
  const lit = call && litBy(call, picture);
  // The menu that the caller is in stays visible.
  useLayoutEffect(() => {
    const here = box.current?.querySelector(".here")?.getBoundingClientRect();
    const frame = box.current?.getBoundingClientRect();
    if (here === undefined || frame === undefined) return;
    const isVisible = here.left >= frame.left && here.right + 200 <= frame.right;
    const [x, y] = [here.left - frame.left - 24, here.top - frame.top - frame.height / 3];
    box.current?.scrollBy(
      isVisible ? 0 : x,
      here.top >= frame.top && here.bottom <= frame.bottom ? 0 : y,
    );
  });
  return (
    <div
      ref={box}
      class="scroll flow"
      tabIndex={0}
      role="group"
      aria-label={`The flow of calls to ${first.name ?? first.key}`}
      // All names in the picture are escaped.
      dangerouslySetInnerHTML={{ __html: svg(picture, { ...lit, addressOf: menuAddress }) }}
    />
  );
}

/** The paths that a call has taken, and the menu that the caller is in, by their indexes in the picture. */
function litBy({ menu, steps }: Call, { menus, paths }: Picture) {
  const indexOf = (key: string) => menus.findIndex((box) => box.menu === key);
  const taken = steps.flatMap((step) => {
    if (!step.enters && step.state.at === "waiting") return [];
    const [from, name] = [indexOf(step.in), pathName({ via: step.as, key: step.press })];
    return paths.findIndex((path) => path.from === from && path.names.includes(name));
  });
  return { taken: new Set(taken), here: indexOf(menu.key) };
}
