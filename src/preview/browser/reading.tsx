import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type ComparedPart, pathRows, recordingRows } from "../../call/call-comparison.ts";
import type { CallPath } from "../../model/call-menu.ts";
import { useEditor } from "./editor.ts";
import { Greeting } from "./greeting.tsx";
import { KeyForm } from "./key-form.tsx";
import { FieldsForm } from "./fields-form.tsx";
import { fieldsOfPart } from "./menu-fields.ts";
import { Button, Step } from "./parts.tsx";
import { Row, settingsOf } from "./row.tsx";
import { type Calling, isDeleted } from "./view.ts";

/** What callers hear, what they can press, and what happens otherwise. A form opens below its row. */
export function Reading({ menu, call, past }: Calling) {
  const allowed = useEditor();
  const editor = isDeleted(menu) || menu.isStale ? undefined : allowed;
  const [open, setOpen] = useState<string>();
  const { first } = call;
  const rows = pathRows(first, past);
  const [greeting] = recordingRows(first, past);
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
  const shared = editor?.shared?.[menu.key];
  const files = new Set(rows.map(({ id }) => shared?.[pathOf(id)]?.file));
  const [only, ...others] = files;
  const free = "1234567890*#"
    .split("")
    .find((key) => first.options.every((option) => option.key !== key));
  const optionOf = ({ key }: CallPath) => first.options.find((option) => option.key === key);
  const formOf = ({ id, value }: ComparedPart<CallPath>): ComponentChildren =>
    value.via === "option" ? (
      <KeyForm
        menu={menu}
        option={optionOf(value)}
        free=""
        shared={shared?.[pathOf(id)]}
        onClose={close}
      />
    ) : (
      <FieldsForm
        label={value.via === "invalid" ? "Wrong keys" : "Silence"}
        menu={menu}
        paths={fieldsOfPart(value.via)}
        onClose={close}
      />
    );
  const row = (part: ComparedPart<CallPath>) => {
    const { id, value, mark } = part;
    const isKey = value.key !== undefined;
    return (
      <div key={id}>
        <Row
          {...part}
          settings={value.via === "option" ? [] : settingsOf(value.via, first, past)}
          sms={optionOf(value)?.sms}
          isLit={isKey && value.key === pressed}
          isFailed={isKey && failed.has(value.key)}
          isOpen={open === id}
          edit={mark === "removed" ? undefined : edit(id)}
        />
        {open === id && formOf(part)}
      </div>
    );
  };
  return (
    <>
      <Greeting
        menu={menu}
        recording={first.recording}
        was={greeting?.was}
        isOpen={open === "says"}
        edit={edit("says")}
        onClose={close}
      />
      <Step
        heading="Then press"
        {...(others.length === 0 && only !== undefined && { note: `from ${only}` })}
      >
        <div class="rows">
          {rows.filter(({ value }) => value.via === "option").map(row)}
          {editor && free !== undefined && (
            <>
              <Button
                look="row add"
                data-row="new"
                isOpen={open === "new"}
                onClick={edit("new")}
                words={
                  <>
                    <span class="cap empty">+</span>
                    <span>Add a key</span>
                  </>
                }
              />
              {open === "new" && (
                <KeyForm
                  menu={menu}
                  option={undefined}
                  free={free}
                  shared={shared?.["options"]}
                  onClose={close}
                />
              )}
            </>
          )}
        </div>
      </Step>
      <Step heading="Otherwise">
        <div class="rows">{rows.filter(({ value }) => value.via !== "option").map(row)}</div>
      </Step>
    </>
  );
}

/** The path of a row in the model: `options.2`, `invalid.destination`. */
function pathOf(id: string): string {
  return id.startsWith("key ") ? `options.${id.slice(4)}` : `${id}.destination`;
}
