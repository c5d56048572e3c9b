import type { ButtonHTMLAttributes, ComponentChildren, RenderableProps } from "preact";
import { useState } from "preact/hooks";
import type { CallRecording } from "../../model/call-menu.ts";
import { many } from "../../util/many.ts";
import type { PreviewMenu } from "../data.ts";
import { menuAddress } from "./view.ts";

interface ListProps<T> {
  readonly look: string;
  readonly of: readonly T[];
  /** Default: the value is shown as it is. */
  readonly children?: (value: T) => ComponentChildren;
}

/** A list of values. */
export function List<T>({ look, of, children = String }: ListProps<T>) {
  return (
    <ul class={look}>
      {of.map((value, at) => (
        <li key={at}>{children(value)}</li>
      ))}
    </ul>
  );
}

/** A card with one line for each value. */
export function Items<T>(props: Pick<ListProps<T>, "of" | "children">) {
  return (
    <div class="card">
      <List look="items" {...props} />
    </div>
  );
}

type ButtonProps = ButtonHTMLAttributes & {
  readonly words: ComponentChildren;
  readonly look?: string;
  /** Whether what the button opens is shown. */
  readonly isOpen?: boolean | undefined;
};

export function Button({ words, look = "quiet", isOpen, ...others }: ButtonProps) {
  return (
    <button type="button" class={look} aria-expanded={isOpen} {...others}>
      {words}
    </button>
  );
}

type StepProps = RenderableProps<{ readonly heading: string; readonly note?: string }>;

/** A card of a menu, which reads downwards like a call. */
export function Step({ heading, note, children }: StepProps) {
  return (
    <section class="step card" aria-label={heading}>
      <h2>
        {heading} <span class="note">{note}</span>
      </h2>
      {children}
    </section>
  );
}

export type ItemProps = RenderableProps<{
  readonly line: ComponentChildren;
  readonly isOpen?: boolean | undefined;
  readonly look?: string;
}>;

/** One quiet line, with more about it on click. Until then, the rest has no elements. */
export function Item({ line, isOpen = false, look = "", children }: ItemProps) {
  const [isShown, setShown] = useState(isOpen);
  return (
    <details
      class={`item ${look}`}
      open={isOpen}
      onToggle={({ currentTarget }) => setShown(currentTarget.open)}
    >
      <summary class="line">{line}</summary>
      {isShown && <div class="more">{children}</div>}
    </details>
  );
}

/** The words of a recording, if they are known. */
export function Words({ recording: { says, language } }: { readonly recording: CallRecording }) {
  return says === undefined ? (
    <span class="soft">words unknown</span>
  ) : (
    <q lang={language} dir="auto">
      {says}
    </q>
  );
}

/** What has changed, or what is wrong, in one word. */
export function Pill({ look, children }: RenderableProps<{ readonly look: string }>) {
  return <span class={`pill ${look}`}>{children}</span>;
}

/** A dot in the color of a fault or a change, with words for screen readers. */
export function Dot({ look, words }: { readonly look: string; readonly words: string }) {
  return (
    <span class={`dot ${look}`} title={words}>
      <span class="unseen">{words}</span>
    </span>
  );
}

/** A red dot if a menu has errors or a test fails. Warnings have a page. */
export function faultOf({ findings }: PreviewMenu) {
  const count = (kind: string) => findings.filter((finding) => finding.kind === kind).length;
  const [errors, failed] = [count("error"), count("failed")];
  if (errors > 0) return <Dot look="error" words={many(errors, "error")} />;
  return failed > 0 ? <Dot look="failed" words={many(failed, "failed test")} /> : null;
}

/** A text in which the parts between backticks are code. */
export function Worded({ text }: { readonly text: string }) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return <span>{text}</span>;
  return (
    <span>{parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</span>
  );
}

interface LinksProps {
  readonly menus: readonly PreviewMenu[];
  /** What follows each link. */
  readonly words?: (menu: PreviewMenu) => string;
}

export function Links({ menus, words }: LinksProps) {
  return menus.map((menu, at) => (
    <span key={menu.key}>
      {at > 0 && (words ? " · " : ", ")}
      <a href={menuAddress(menu.key)}>{menu.name}</a>
      {words?.(menu)}
    </span>
  ));
}
