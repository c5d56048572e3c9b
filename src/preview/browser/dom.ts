import { visible } from "../../util/visible.ts";

export type Child = Node | string | undefined | readonly Child[];

type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/**
 * An element. A text in it is text, whatever it says: nothing here reads markup,
 * and what would turn or hide the text around it is made visible.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes,
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : visible(value));
  }
  element.append(...children.flatMap(nodes));
  return element;
}

/** A name, which may run the other way than the words around it. */
export function name(text: string): HTMLElement {
  return h("bdi", {}, text);
}

export function button(label: readonly Child[], onPress: () => void, attributes: Attributes = {}) {
  const element = h("button", { type: "button", ...attributes }, label);
  element.addEventListener("click", onPress);
  return element;
}

/** A part of the page with a heading, by which a screen reader knows it. */
export function section(id: string, heading: string, ...children: readonly Child[]): HTMLElement {
  return h(
    "section",
    { class: id, "aria-labelledby": `${id}-heading` },
    h("h3", { id: `${id}-heading` }, heading),
    ...children,
  );
}

export function many(count: number, word: string): string {
  return count === 1 ? `1 ${word}` : `${count} ${word}s`;
}

function nodes(child: Child): readonly (Node | string)[] {
  if (child === undefined) return [];
  if (typeof child === "string") return [visible(child)];
  return child instanceof Node ? [child] : child.flatMap(nodes);
}
