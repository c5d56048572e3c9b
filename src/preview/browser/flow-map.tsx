import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Call } from "../../call/simulated-call.ts";
import { reachedFrom } from "../../call/reached.ts";
import { flowPicture, menuPicture } from "../../graph/picture.ts";
import { partsTaken } from "../../graph/taken.ts";
import { svg } from "../../graph/svg.ts";
import type { PreviewMenu } from "../data.ts";
import { type Within, menuAddress } from "./view.ts";

/**
 * The flow of all calls that begin in a menu, as `ivrctl graph` draws it. The boxes of menus are links,
 * and the path of the call lights up.
 */
export function FlowMap({ first, around, call }: Within<{ first: PreviewMenu; call?: Call }>) {
  const box = useRef<HTMLDivElement>(null);
  const [picture, drawn] = useMemo(() => {
    const menus = reachedFrom(first, (key) => around.pages.get(key));
    const made =
      menus.length === 1 && first.call
        ? menuPicture(first.call, around, first.change?.before)
        : flowPicture(menus, around, new Set([first.key]));
    // All names in the picture are escaped.
    return [made, { __html: svg(made, menuAddress) }] as const;
  }, [first, around]);
  // A key only changes what is lit, because a large picture takes long to draw.
  useLayoutEffect(() => {
    const frame = box.current;
    if (!frame || !call) return;
    for (const lit of frame.querySelectorAll(".taken")) lit.classList.remove("taken", "here");
    const { taken, inside } = partsTaken(call, picture);
    for (const lit of frame.querySelectorAll([inside, ...taken].join())) lit.classList.add("taken");
    const here = frame.querySelector(inside);
    here?.classList.add("here");
    if (!here) return;
    // The menu that the caller is in stays visible, with its keys.
    const [inner, outer] = [here.getBoundingClientRect(), frame.getBoundingClientRect()];
    const isBeside = inner.left < outer.left || inner.right + 200 > outer.right;
    const isBelow = inner.top < outer.top || inner.bottom > outer.bottom;
    frame.scrollBy(
      isBeside ? inner.left - outer.left - 24 : 0,
      isBelow ? inner.top - outer.top - outer.height / 3 : 0,
    );
  });
  return (
    <div
      ref={box}
      class={picture.places.length > 0 ? "scroll" : "scroll flow"}
      tabIndex={0}
      role="group"
      aria-label={`The flow of calls to ${first.name}`}
      dangerouslySetInnerHTML={drawn}
    />
  );
}
