import { useState } from "preact/hooks";
import { type ComparedPart, pathRows, recordingRows } from "../../call/call-comparison.ts";
import { many } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import type { CallPath, Press } from "../../model/call-menu.ts";
import { recordingName } from "../../model/field-words.ts";
import type { PreviewMenu } from "../data.ts";
import { useEditor } from "./editor.ts";
import { Target, wordsOf } from "./face.tsx";
import { FlowMap } from "./flow-map.tsx";
import { KeyForm, OtherwiseForm, SaysForm } from "./key-form.tsx";
import { Findings, Heard, List, Mark, Section } from "./parts.tsx";
import { HearIt, Phone } from "./phone.tsx";
import { type Calling, type OpenMenu, type Within, isDeleted, menuAddress } from "./view.ts";

/** One menu, which reads downwards like a call, and a keypad to call it. */
export function MenuPage({ menu, calling }: OpenMenu) {
  const { change, findings } = menu;
  const heading = menu.isStale
    ? "Last valid version"
    : isDeleted(menu)
      ? "Call this menu as it was"
      : "Try it";
  const replay = (presses: readonly Press[]) => {
    calling?.around.start(presses);
    document.querySelector("section.call")?.scrollIntoView({ block: "nearest" });
  };
  return (
    <>
      {calling && (
        <div class="columns">
          <div class="reading">
            <Reading {...calling} />
          </div>
          <Section id="call" heading={heading}>
            <Phone {...calling} />
          </Section>
        </div>
      )}
      {change && change.lines.length > 0 && (
        <Section id="changes" heading="What changes for callers">
          <List look="reasons" of={change.lines} />
        </Section>
      )}
      {findings.length > 0 && (
        <Section id="checks" heading="Problems and tests">
          <Findings findings={findings} replay={replay} />
          {calling === undefined && <p>Fix the errors to call this menu.</p>}
        </Section>
      )}
      {calling && (
        <Section id="picture" heading="Where calls go">
          <FlowMap first={menu} around={calling.around} call={calling.call} />
        </Section>
      )}
    </>
  );
}

/** What is open for editing: a key, a new key, the greeting, wrong keys or silence. */
type Open = string | undefined;

function Reading({ menu, call, past, around }: Calling) {
  const allowed = useEditor();
  const editor = isDeleted(menu) || menu.isStale ? undefined : allowed;
  const [open, setOpen] = useState<Open>();
  const first = call.first;
  const rows = pathRows(first, past);
  const close = () => {
    setOpen(undefined);
    // The row that opened the form has the focus again.
    const row = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(open ?? "")}"]`);
    setTimeout(() => row?.focus());
  };
  const edit = (name: string) => editor && (() => setOpen(open === name ? undefined : name));
  const pressed = call.steps[0]?.press;
  const failed = new Set(
    menu.findings.flatMap(({ kind, press }) => (kind === "failed" ? (press?.[0] ?? []) : [])),
  );
  const files = new Set(rows.map(({ id }) => editor?.shared?.[menu.key]?.[pathOf(id)]?.file));
  const [only, ...others] = files;
  const free = "1234567890*#"
    .split("")
    .find((key) => !first.options.some((option) => option.key === key));
  const row = (one: ComparedPart<CallPath>) => {
    const { id, value } = one;
    const name = id;
    const option = first.options.find(({ key }) => key === value.key);
    const form =
      value.via !== "option" ? (
        <OtherwiseForm menu={menu} via={value.via} onClose={close} around={around} />
      ) : (
        <KeyForm
          menu={menu}
          option={option}
          free=""
          shared={editor?.shared?.[menu.key]?.[pathOf(id)]}
          onClose={close}
          around={around}
        />
      );
    return (
      <div key={id}>
        <Row
          {...one}
          name={name}
          isLit={value.key !== undefined && value.key === pressed}
          isFailed={value.key !== undefined && failed.has(value.key)}
          isOpen={open === name}
          edit={one.mark === "removed" ? undefined : edit(name)}
          around={around}
        />
        {open === name && form}
      </div>
    );
  };
  return (
    <>
      <Greeting
        menu={menu}
        call={call}
        isOpen={open === "says"}
        edit={edit("says")}
        onClose={close}
        around={around}
      />
      <Step
        heading="Then press"
        note={others.length === 0 && only !== undefined ? `from ${only}` : ""}
      >
        {rows.filter(({ value }) => value.via === "option").map(row)}
        {editor && free !== undefined && (
          <>
            <button
              type="button"
              class="row add"
              data-row="new"
              aria-expanded={open === "new"}
              onClick={edit("new")}
            >
              <span class="cap empty">+</span>
              <span>Add a key</span>
            </button>
            {open === "new" && (
              <KeyForm
                menu={menu}
                option={undefined}
                free={free}
                shared={undefined}
                onClose={close}
                around={around}
              />
            )}
          </>
        )}
      </Step>
      <Step heading="Otherwise" note="">
        {rows.filter(({ value }) => value.via !== "option").map(row)}
        <List look="answers" of={recordingRows(first, past).slice(1)}>
          {({ id, value, was, mark }) => (
            <>
              <span>{id}</span> <Heard recording={value} around={around} />
              {was?.says !== undefined && was.says !== value.says && <s class="was">{was.says}</s>}
              {mark && <Mark word={mark} />}
            </>
          )}
        </List>
      </Step>
    </>
  );
}

/** The path of a row in the model: `options.2`, `invalid.destination`. */
function pathOf(id: string): string {
  return id.startsWith("key ") ? `options.${id.slice(4)}` : `${id}.destination`;
}

function Step({
  heading,
  note,
  children,
}: {
  heading: string;
  note: string;
  children: preact.ComponentChildren;
}) {
  return (
    <section class="step sheet" aria-label={heading}>
      <h2>
        {heading} <span class="from">{note}</span>
      </h2>
      <div class="rows">{children}</div>
    </section>
  );
}

interface RowProps extends ComparedPart<CallPath> {
  readonly name: string;
  readonly isLit: boolean;
  readonly isFailed: boolean;
  readonly isOpen: boolean;
  readonly edit: (() => void) | undefined;
}

/** What callers do, and whom they reach. A button, if it can be edited. */
function Row({ name, value, was, mark, isLit, isFailed, isOpen, edit, around }: Within<RowProps>) {
  const { via, key, destination } = value;
  const { mark: fault, menu } = wordsOf({ destination, around });
  const content = (
    <>
      <span class={key === undefined ? "cap empty" : "cap"}>
        {key ?? (via === "invalid" ? "✕" : "…")}
      </span>
      <span class="for">
        {was && was.for !== value.for && <s>{was.for}</s>}
        <bdi>{purposeOf(value)}</bdi>
      </span>
      <span class="to">
        <Target destination={destination} was={was?.destination} around={around} />
      </span>
      <span class="flags">
        {isFailed && <span class="pill bad">test fails</span>}
        {fault !== undefined && <Mark word={fault === "blocked" ? fault : "error"} />}
        {mark !== undefined && !isFailed && <Mark word={mark} />}
        {edit && <span class="pen">Edit</span>}
      </span>
    </>
  );
  const look = `row${isLit ? " lit" : ""}${mark === "removed" ? " gone" : ""}`;
  if (edit) {
    return (
      <button type="button" class={look} data-row={name} aria-expanded={isOpen} onClick={edit}>
        {content}
      </button>
    );
  }
  return menu === undefined ? (
    <div class={look}>{content}</div>
  ) : (
    <a class={look} href={menuAddress(menu)}>
      {content}
    </a>
  );
}

function purposeOf({ via, for: purpose, retries = "0", wait }: CallPath): string {
  if (via === "option") return purpose ?? "";
  const count = Number(retries) + 1;
  if (via === "invalid") return many(count, "wrong key");
  return `${count === 1 ? "" : `${count} times `}${many(Number(wait), "second")} of silence`;
}

interface GreetingProps {
  readonly menu: PreviewMenu;
  readonly call: Calling["call"];
  readonly isOpen: boolean;
  readonly edit: (() => void) | undefined;
  readonly onClose: () => void;
}

function Greeting({ menu, call, isOpen, edit, onClose, around }: Within<GreetingProps>) {
  const { recording } = call.first;
  const { says, language, seconds } = recording;
  const before = around.again.get(recording.id);
  const warnings = menu.findings.flatMap(({ title, text }) =>
    title?.includes("prompt-") ? text : [],
  );
  return (
    <section class="step sheet" aria-label="Callers hear">
      <h2>
        Callers hear{" "}
        <span class="from">
          {recordingName(recording)}
          {seconds === undefined ? "" : ` · ${seconds} s`}
        </span>{" "}
        {before !== undefined && <Mark word="record again" />}
      </h2>
      <div class="say">
        <HearIt heard={[recording]} />
        <p>
          {says === undefined ? (
            <span class="about">Its words are not in ivrctl.yaml.</span>
          ) : (
            <q lang={language} dir="auto">
              {says}
            </q>
          )}
          {before !== undefined && <s class="was">{before}</s>}
        </p>
        {edit && recording.alias !== undefined && (
          <button type="button" class="quiet" data-row="says" aria-expanded={isOpen} onClick={edit}>
            Edit<span class="unseen"> what callers hear</span>
          </button>
        )}
      </div>
      {warnings.length > 0 && <List look="warnings" of={warnings} />}
      {isOpen && <SaysForm menu={menu} onClose={onClose} around={around} />}
    </section>
  );
}

/** The way to a menu: its numbers, or the menus through which callers get to it. */
export function Crumbs({ menu, around }: Within<{ menu: PreviewMenu }>) {
  const trail = [menu];
  while (trail[0] && trail[0].numbers.length === 0) {
    const [{ key }] = trail;
    const parent = around.current.find(
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
      {numbers.length === 0 ? "No number" : numbers.map(phoneText).join(", ")}
      {trail.slice(0, -1).map(({ key, name }) => (
        <span key={key}>
          {" › "}
          <a href={menuAddress(key)}>{name}</a>
        </span>
      ))}
      {" ›"}
    </p>
  );
}
