import { useState } from "preact/hooks";
import type { Press } from "../../model/call-menu.ts";
import { many } from "../../util/many.ts";
import type { PreviewMenu } from "../data.ts";
import { useEditor } from "./editor.ts";
import { Pen } from "./inputs.tsx";
import { MenuForm } from "./menu-form.tsx";
import { Reading } from "./reading.tsx";
import { Item, List, Pill } from "./parts.tsx";
import { Problem } from "./problem.tsx";
import { TryIt } from "./try-it.tsx";
import { useProject } from "./project.ts";
import { type OpenMenu, flowAddress, isDeleted, menuAddress } from "./view.ts";

/** One menu, which reads downwards like a call, and a keypad to call it. */
export function MenuPage({ menu, calling }: OpenMenu) {
  const { start } = useProject();
  const replay = (presses: readonly Press[]) => {
    start(presses);
    document.querySelector(".try")?.scrollIntoView({ block: "nearest" });
  };
  const isBroken = menu.isStale || calling === undefined;
  // What is wrong with a menu that cannot be called comes first.
  const isFirst = ({ kind }: (typeof menu.findings)[number]) => isBroken && kind === "error";
  const passed = menu.findings.filter(({ kind }) => kind === "passed");
  const others = menu.findings.filter((one) => one.kind !== "passed" && !isFirst(one));
  return (
    <div class={calling ? "columns" : ""}>
      <div class="reading">
        {isBroken && (
          <section class="card checks" aria-label="Errors">
            <p class="alert">
              {calling ? "This is the last version without errors." : "Nobody can call this menu."}{" "}
              Fix the file in your editor:
            </p>
            <List look="items" of={menu.findings.filter(isFirst)}>
              {(finding) => <Problem finding={finding} of={menu} isOpen />}
            </List>
          </section>
        )}
        {isDeleted(menu) && <p class="alert">This menu is deleted. It is shown as it was.</p>}
        {calling && <Reading {...calling} />}
        {others.length + passed.length > 0 && (
          <section class="card checks" aria-label="Problems and tests">
            <List look="items" of={others}>
              {(finding) => <Problem finding={finding} of={menu} replay={calling && replay} />}
            </List>
            {passed.length > 0 && (
              <Item
                line={
                  <Pill look="good">
                    {passed.length === 1 ? "1 test passes" : `${many(passed.length, "test")} pass`}
                  </Pill>
                }
              >
                <List look="items" of={passed}>
                  {(finding) => <Problem finding={finding} replay={replay} />}
                </List>
              </Item>
            )}
          </section>
        )}
      </div>
      {calling && <TryIt {...calling} />}
    </div>
  );
}

/** The name of a menu, the way of callers to it, and its file. */
export function MenuHeading({ menu }: { readonly menu: PreviewMenu }) {
  const editor = useEditor();
  const [isOpen, setOpen] = useState(false);
  const { name, file, owner, change, call } = menu;
  const before = change?.before;
  const isRenamed = before !== undefined && before.name !== name;
  const description = call?.description;
  const close = () => {
    setOpen(false);
    document.querySelector<HTMLElement>('[data-row="menu"]')?.focus();
  };
  return (
    <header>
      <Crumbs menu={menu} />
      <h1 tabIndex={-1}>{name}</h1>
      {isRenamed && <s class="was">{before.name}</s>}
      <p class="meta soft">
        {change?.kind === "new" && <Pill look="changed">new</Pill>}
        {description !== name && <span>{description}</span>}
        {before && before.description !== description && <s class="was">{before.description}</s>}
        <code>{file}</code>
        {owner !== undefined && <span>{owner}</span>}
        {call && !isDeleted(menu) && <a href={flowAddress(menu.key)}>Flow</a>}
        {editor && call && !isDeleted(menu) && !menu.isStale && (
          <Pen
            row="menu"
            what="name and numbers"
            isOpen={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
        )}
      </p>
      {isOpen && <MenuForm menu={menu} onClose={close} />}
    </header>
  );
}

/** The way to a menu: its numbers, or the menus through which callers get to it. */
function Crumbs({ menu }: { readonly menu: PreviewMenu }) {
  const { current } = useProject();
  const trail = [menu];
  while (trail[0] && trail[0].numbers.length === 0) {
    const [{ key }] = trail;
    const parent = current.find(
      (one) =>
        !trail.includes(one) &&
        one.call?.options.some(({ destination: to }) => to.kind === "menu" && to.key === key),
    );
    if (parent === undefined) break;
    trail.unshift(parent);
  }
  const numbers = trail[0]?.numbers ?? [];
  return (
    <p class="crumbs">
      {numbers.length === 0 ? "No number" : numbers.join(", ")}
      {trail.slice(0, -1).map(({ key, name }) => (
        <span key={key}>
          {" › "}
          <a href={menuAddress(key)}>{name}</a>
        </span>
      ))}
      {(numbers.length > 0 || trail.length > 1) && " ›"}
    </p>
  );
}
