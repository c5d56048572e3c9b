import { visible } from "../../util/visible.ts";

export type Child = Node | string | false | undefined | readonly Child[];

type Tag = keyof HTMLElementTagNameMap;
type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Creates an element with its classes: `h("p.now", "text")`. Text is never parsed as markup, and
 * characters that reverse or hide the text around them are made visible.
 */
export function h(tag: Tag | `${Tag}.${string}`, ...children: readonly Child[]): HTMLElement {
  const [name = "", ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length > 0) element.className = classes.join(" ");
  element.append(...children.flatMap(nodes));
  return element;
}

/** Sets attributes, except those that are undefined or false, and returns the element. */
export function set<E extends Element>(element: E, attributes: Attributes): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : visible(value));
  }
  return element;
}

/** A name, which may be written in another direction than the text around it. */
export function name(text: string): HTMLElement {
  return h("bdi", text);
}

export function link(href: string, ...children: readonly Child[]): HTMLElement {
  return set(h("a", ...children), { href });
}

export function input(attributes: Attributes): HTMLInputElement {
  return set(document.createElement("input"), attributes);
}

export function button(
  label: Child,
  onPress: () => void,
  attributes: Attributes = {},
): HTMLElement {
  const element = set(h("button", label), { type: "button", ...attributes });
  element.addEventListener("click", onPress);
  return element;
}

/** A section of the page, with a heading that labels it for screen readers. */
export function section(id: string, heading: string, ...children: readonly Child[]): HTMLElement {
  const title = set(h("h3", heading), { id: `${id}-heading` });
  return set(h(`section.${id}`, title, ...children), { "aria-labelledby": `${id}-heading` });
}

function nodes(child: Child): readonly (Node | string)[] {
  if (child === undefined || child === false) return [];
  if (typeof child === "string") return [visible(child)];
  return child instanceof Node ? [child] : child.flatMap(nodes);
}
