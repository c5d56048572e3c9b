import { useEffect, useRef, useState } from "preact/hooks";
import type { CallMenu, Step } from "../../call/model.ts";
import { type Picture, menuPicture } from "../../graph/picture.ts";
import { svg } from "../../graph/svg.ts";
import { addressOf } from "./search.ts";
import type { Callable } from "./versions.ts";

interface DrawingProps {
  readonly now: Callable;
  readonly before: CallMenu | undefined;
  /** The step with which the call left the menu. */
  readonly left: Step | undefined;
}

/** One menu as `ivrctl graph` draws it, with the path that a call has taken highlighted. */
export function Drawing({ now, before, left }: DrawingProps) {
  const { menu } = now;
  const picture = menuPicture(menu, now, before);
  const taken = left && picture.current[pathIndex(menu, left)];
  const text = svg(before ? picture : withoutGreeting(picture), { taken, addressOf });
  const frame = useRef<HTMLDivElement>(null);
  const [isWide, setWide] = useState(false);
  const [isSmall] = useState(() => window.matchMedia("(max-width: 46rem)").matches);
  useEffect(() => {
    const { current } = frame;
    current?.replaceChildren(drawn(text));
    const watch = new ResizeObserver(() =>
      setWide(current !== null && current.scrollWidth > current.clientWidth),
    );
    if (current !== null) watch.observe(current);
    return () => watch.disconnect();
  }, [text]);
  const heading = before ? "Picture of the menu, before and now" : "Picture of the menu";
  return (
    <section class="picture" aria-labelledby="picture-heading">
      <details open={!isSmall}>
        <summary>
          <h3 id="picture-heading">{heading}</h3>
        </summary>
        {isWide && <p class="sideways">Scroll sideways to see the whole picture. →</p>}
        <div class="scroll" ref={frame} tabIndex={0} role="group" aria-label={heading} />
      </details>
    </section>
  );
}

/** The call begins with the greeting, so the picture does not repeat it. */
function withoutGreeting(picture: Picture): Picture {
  const menus = picture.menus.map((box) => ({ ...box, lines: box.lines.slice(0, 2) }));
  return { ...picture, menus };
}

/** The index of a path, in the order in which paths are drawn. */
function pathIndex({ options }: CallMenu, { as, press }: Step): number {
  switch (as) {
    case "option":
      return options.findIndex(({ key }) => key === press);
    case "invalid":
      return options.length;
    case "timeout":
      return options.length + 1;
  }
}

const smallest = 0.8;

/** Parses the picture as XML, never as HTML of this page. All names in it are escaped. */
function drawn(text: string): Node {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const copy = document.importNode(parsed.documentElement, true);
  // Smaller text is hard to read. The picture scrolls sideways instead.
  copy.style.minWidth = `${Number(copy.getAttribute("width")) * smallest}px`;
  return copy;
}
