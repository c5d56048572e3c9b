import { resolveSmsTemplate } from "../compile/references.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { optionValue } from "../import/menu-text.ts";
import { canonicalKey } from "../project/options.ts";
import { type Edit, EditProblem, endOfLine, ownSpan } from "../references/edits.ts";
import type { Intent } from "../schema/intent.ts";
import type { Value } from "../yaml/new-document.ts";
import {
  type MapEntry,
  type MapNode,
  type ScalarNode,
  entriesOf,
  entry,
  nodeAt,
  textField,
} from "../yaml/node.ts";
import { type At, type Task, type Way, byPath, inLayer, inMenu, placeIn, valueAt } from "./at.ts";
import { factsOf, identity, orderPath } from "./facts.ts";
import { type Where, scopedTask, variableWays } from "./field-edits.ts";
import { type Manner, ownEntry, put, textAfter, valueEdits } from "./put.ts";

type Option = NonNullable<(Intent & { do: "option" })["to"]>;

/** A key, as it is wanted. Without `sms`, its message stays. */
interface WantedKey {
  readonly from?: string | undefined;
  readonly to: Option | null;
  readonly where: Where;
  readonly sms?: string | null;
}

/** Adds, changes, moves or removes a key. */
export function keyTask(at: At, { from, to, where, sms: asked }: WantedKey): Task {
  const facts = factsOf(at.menu);
  const name = from ?? to?.key ?? "";
  const path = `options.${name}`;
  if (to !== null && to.key !== from && facts.has(`options.${to.key}`)) {
    throw new EditProblem(`This menu already has a key ${to.key}.`, at.menu.keyAt);
  }
  if (from !== undefined && !facts.has(path)) {
    throw new EditProblem(`This menu has no key ${from}.`, at.menu.keyAt);
  }
  const option = at.menu.options?.find(({ key }) => key === from);
  const sms = asked === undefined ? option?.sms : asked === null ? undefined : template(at, asked);
  const wanted = {
    [path]: undefined,
    [`${path}.for`]: undefined,
    [`${path}.sms`]: undefined,
    ...(to && {
      [`options.${to.key}`]: identity(to.destination),
      [`options.${to.key}.for`]: to.for,
      [`options.${to.key}.sms`]: sms?.id,
    }),
  };
  const more = to === null || to.key === name ? [] : [`options.${to.key}`];
  const written = sms && at.references.smsTemplate(sms.id).value;
  const plain = keyWays(at, { from, to, where }, name, written);
  // A key that overrides a default must not come before keys of the menu that precede it.
  const order = Array.from(at.menu.options ?? [], ({ key }) =>
    key === from && to !== null ? [key, to.key] : [key],
  ).flat();
  const ways =
    where === "here" ? [...plain, ...plain.map((way) => inOrder(at, way, order))] : plain;
  const shared = from === undefined ? "options" : path;
  return scopedTask(at, where, { path, from: shared, more, facts: wanted, ways });
}

function template({ project, menu }: At, to: string) {
  const diagnostics = new Diagnostics();
  const { environment, agents } = project;
  const smsTemplate = resolveSmsTemplate(to, menu.top, { environment, agents, diagnostics });
  if (smsTemplate !== undefined) return smsTemplate;
  const message = diagnostics.sorted()[0]?.message ?? "There is no such SMS template.";
  throw new EditProblem(message, menu.keyAt);
}

/** Gives a key a message, or takes it away. The rest of the key stays. */
export function smsTask(at: At, key: string, sms: string | null, where: Where): Task {
  const option = at.menu.options?.find((one) => one.key === key);
  const destination = option?.destination?.value;
  if (destination === undefined || destination.kind === "unreachable") {
    throw new EditProblem(`Nobody can be reached with key ${key}.`, option?.keyAt ?? at.menu.keyAt);
  }
  const purpose = option?.for?.value;
  const to = { key, destination, ...(purpose !== undefined && { for: purpose }) };
  return keyTask(at, { from: key, to, where, sms });
}

function keyWays(
  at: At,
  { from, to, where }: WantedKey,
  name: string,
  sms: Parameters<typeof optionValue>[2],
): Way[] {
  const steps = ["options", name];
  const own = ownOption(at.node.root, name);
  if (to === null) {
    const remove = (root: MapNode) => put(root, steps, undefined);
    if (where === "everywhere") return [() => inLayer(at, steps, remove)];
    const hide = (root: MapNode) => put(root, steps, null, "whole");
    return own ? [() => inMenu(at, remove), () => inMenu(at, hide)] : [() => inMenu(at, hide)];
  }
  const reference = at.references.destination(to.destination).value;
  const value = (purpose: string | undefined) => optionValue(reference, purpose, sms);
  const rename = (key: ScalarNode): Edit[] =>
    to.key === from ? [] : [{ at: key, text: /\d/.test(to.key) ? to.key : JSON.stringify(to.key) }];
  if (where === "everywhere") {
    const add = (root: MapNode) => put(root, ["options", to.key], value(to.for));
    const [layer, node] = [optionOf(at.effective, name), valueAt(at.effective, `options.${name}`)];
    if (layer === undefined || node === undefined) return [() => inLayer(at, ["options"], add)];
    return [
      () => byPath([...rename(layer.key), ...valueEdits(node, value(to.for))]),
      () =>
        inLayer(at, steps, (root) => [
          ...put(root, steps, value(to.for), "whole"),
          ...rename(optionOf(root, name)?.key ?? layer.key),
        ]),
    ];
  }
  // What is not changed stays as it is written, with its variables.
  const option = at.menu.options?.find(({ key }) => key === from);
  const written = textField(own?.value, "for");
  const purpose = written !== undefined && option?.for?.value === to.for ? written : to.for;
  const next = ["options", to.key];
  const writes = (manner: Manner, text: string | undefined): Way => {
    if (own !== undefined) {
      return () =>
        inMenu(at, (root) => {
          const now = ownOption(root, name);
          return [...put(root, steps, value(text), manner), ...(now ? rename(now.key) : [])];
        });
    }
    return () => {
      const { source } = at.menu;
      const hide = (root: MapNode) => put(root, steps, null, "whole");
      const isMoved = from !== undefined && from !== to.key;
      const hidden = isMoved ? textAfter(source.text, placeIn(at), hide) : source.text;
      const add = (root: MapNode) => put(root, next, value(text), manner);
      return new Map([[source.file, textAfter(hidden, placeIn(at), add)]]);
    };
  };
  return [
    ...(to.key === from ? variableWays(at, `options.${name}`, reference) : []),
    writes("fields", purpose),
    writes("whole", to.for),
  ];
}

export function orderTask(at: At, { keys, where }: Intent & { do: "order" }): Task {
  const sort = (root: MapNode) => sorted(root, keys);
  const ways: Way[] =
    where === "everywhere"
      ? [() => inLayer(at, ["options"], sort)]
      : [() => inMenu(at, sort), () => inFull(at, keys)];
  const facts = { [orderPath]: keys.join(" ") };
  return scopedTask(at, where, { path: orderPath, from: "options", facts, ways });
}

/** The same way, after which the keys of the menu are in an order. */
export function inOrder(at: At, way: Way, keys: readonly string[]): Way {
  return () =>
    new Map(
      Array.from(way(), ([file, text]) =>
        text === undefined || file !== at.menu.source.file
          ? [file, text]
          : [file, textAfter(text, placeIn(at), (root) => sorted(root, keys))],
      ),
    );
}

/** Writes the keys that the menu has from defaults into it, because only then it decides on their order. */
function inFull(at: At, keys: readonly string[]) {
  const { source, options = [] } = at.menu;
  let { text } = source;
  for (const { key, for: purpose, sms, destination } of options) {
    const to = destination?.value;
    if (ownOption(at.node.root, key) !== undefined || to === undefined) continue;
    if (to.kind === "unreachable") throw new EditProblem("This key reaches nobody.", at.menu.keyAt);
    const template = sms && at.references.smsTemplate(sms.id).value;
    const value: Value = optionValue(at.references.destination(to).value, purpose?.value, template);
    text = textAfter(text, placeIn(at), (root) => put(root, ["options", key], value));
  }
  return new Map([[source.file, textAfter(text, placeIn(at), (root) => sorted(root, keys))]]);
}

/** Puts the options of a mapping in an order. A comment moves with the option below it or at its left. */
function sorted(root: MapNode, keys: readonly string[]): Edit[] {
  const { key, value: options } = entry(root, "options") ?? {};
  if (key === undefined || options?.kind !== "map")
    throw new EditProblem("This menu has no keys of its own.", root);
  const { source, start } = options;
  const isFlow = source.text[start] === "{";
  let from = endOfLine(source.text, key.end);
  if (source.text[from] === "\r") from += 1;
  const parts = options.entries.map((option) => {
    const { start: own, end } = ownSpan(option, options);
    const lineStart = from + 1;
    // A text over several lines ends after its last line break.
    const last = own + source.text.slice(own, end).trimEnd().length;
    from = endOfLine(source.text, last);
    if (source.text[from] === "\r") from += 1;
    const at = isFlow ? source.span(own, last) : source.span(lineStart, from);
    return { name: canonicalKey(option.key.text), at };
  });
  const rank = ({ name }: (typeof parts)[number]) => keys.indexOf(name);
  const next = parts.toSorted((a, b) => rank(a) - rank(b));
  return parts.flatMap(({ at }, index) => {
    const part = next[index] ?? { at };
    const text = source.text.slice(part.at.start, part.at.end);
    return part.at === at ? [] : [{ at, text }];
  });
}

function optionOf(root: MapNode, key: string): MapEntry | undefined {
  return entriesOf(nodeAt(root, ["options"])).find((one) => canonicalKey(one.key.text) === key);
}

function ownOption(root: MapNode, key: string): MapEntry | undefined {
  const options = ownEntry(root, "options")?.value;
  return options?.kind === "map" ? ownEntry(options, key) : undefined;
}
