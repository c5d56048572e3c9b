import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/index.ts";
import { PayloadSchema } from "../../src/schema/payload.ts";
import { runs } from "../support/runs.ts";

// The content of a payload. It is decoded here without the code of the encoder.
interface MenuModel {
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  readonly options: readonly {
    readonly key: string;
    readonly eid: string;
    readonly sms: string | null;
  }[];
  readonly invalid: { readonly retries: string; readonly recording: string; readonly eid: string };
  readonly timeout: {
    readonly wait: string;
    readonly retries: string;
    readonly retry: string;
    readonly recording: string;
    readonly eid: string;
  };
  readonly extra: { readonly count: number; readonly recording: string } | null;
}

const words = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
  .filter(
    (text) =>
      /\S/.test(text) &&
      !/[\u0000-\u001F\u007F-\u009F\uD800-\uDFFF\uFEFF\uFFFE\uFFFF\u2028\u2029]/.test(text),
  );
const id = fc.stringMatching(/^[0-9A-Za-z_.-]{1,24}$/);
const count = fc.stringMatching(/^[0-9]{1,6}$/);
const key = fc.oneof(fc.stringMatching(/^[0-9]{1,2}$/), fc.constantFrom("*", "#"));
const eids = ["00042", "500101", "7", "050123456789012345678"];
const eid = fc.constantFrom(...eids);

const model: fc.Arbitrary<MenuModel> = fc.record({
  name: words,
  description: words,
  prompt: id,
  options: fc.uniqueArray(fc.record({ key, eid, sms: fc.option(id) }), {
    selector: (option) => option.key,
    minLength: 1,
    maxLength: 12,
  }),
  invalid: fc.record({ retries: count, recording: id, eid }),
  timeout: fc.record({ wait: count, retries: count, retry: id, recording: id, eid }),
  extra: fc.option(fc.record({ count: fc.nat(9999), recording: id })),
});

const wire = fc.record({
  numbers: fc.constantFrom("string", "number"),
  plain: fc.subarray([
    "invalid_recording",
    "timeout_retry_recording",
    "timeout_recording",
    "recording_invalid",
  ]),
  filler: fc.constantFrom("", "0"),
});

type Wire = typeof wire extends fc.Arbitrary<infer T> ? T : never;

const agents = eids.map((extension, index) => ({
  id: index,
  name: `Agent ${index}`,
  eid: extension,
  custom_status: 0,
}));

function toYaml(menu: MenuModel): string {
  const q = JSON.stringify;
  // Keys and ids have no quotes if people usually write them without quotes.
  const options = menu.options.map(
    (option) =>
      `  ${/^[0-9]+$/.test(option.key) ? option.key : q(option.key)}: { eid: ${option.eid}${option.sms === null ? "" : `, sms: { id: ${q(option.sms)} }`} }\n`,
  );
  return `name: ${q(menu.name)}
description: ${q(menu.description)}
recording: { id: ${q(menu.prompt)} }
options:
${options.join("")}invalid: { retries: ${menu.invalid.retries}, recording: { id: ${q(menu.invalid.recording)} }${menu.extra === null ? "" : `, final_recording: { id: ${q(menu.extra.recording)} }`}, destination: { eid: ${menu.invalid.eid} } }
timeout:
  wait: ${menu.timeout.wait}
  retries: "${menu.timeout.retries}"
  retry_recording: { id: ${q(menu.timeout.retry)} }
  recording: { id: ${q(menu.timeout.recording)} }
  destination: { eid: ${menu.timeout.eid} }
${menu.extra === null ? "" : `extra: { timeout_retries: ${menu.extra.count} }\n`}`;
}

function configOf({ numbers, plain, filler }: Wire): string {
  return `version: 1
default_environment: sandbox
sms_templates_enabled: true
wire: { numbers: ${numbers}, plain_recordings: [${plain.join(", ")}], no_sms_template: "${filler}" }
environments: { sandbox: { service: sandbox } }
`;
}

function fromPayload(payload: ReturnType<typeof parsePayload>, filler: string): MenuModel {
  const bare = (text: string | undefined) => (text ?? "").replace(/^\w+\|\|/, "");
  return {
    name: payload.name,
    description: payload.description,
    prompt: bare(payload.recording),
    options: payload.option.map((phoneKey, index) => {
      const template = payload.sms_template?.[index] ?? filler;
      return {
        key: String(phoneKey),
        eid: bare(payload.destination[index]),
        sms: template === filler ? null : template,
      };
    }),
    invalid: {
      retries: String(payload.incorrect_count),
      recording: bare(payload.invalid_recording),
      eid: bare(payload.invalid_destination),
    },
    timeout: {
      wait: String(payload.timeout),
      retries: String(payload.timeout_tries),
      retry: bare(payload.timeout_retry_recording),
      recording: bare(payload.timeout_recording),
      eid: bare(payload.timeout_destination),
    },
    extra:
      payload.timeout_retries === undefined
        ? null
        : { count: payload.timeout_retries, recording: bare(payload.recording_invalid) },
  };
}

function parsePayload(value: unknown) {
  return PayloadSchema.parse(JSON.parse(JSON.stringify(value)));
}

describe("menus to payloads and back", () => {
  test("keeps everything, with numbers as text or as numbers", () => {
    fc.assert(
      fc.property(model, wire, (menu, settings) => {
        fc.pre(menu.options.every(({ sms }) => sms !== settings.filler));
        const { payloads, diagnostics } = compile({
          config: configOf(settings),
          menus: { "ivrs/menu.yaml": toYaml(menu) },
          agents,
        });
        expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
        const payload = parsePayload(payloads["menu"]);
        expect(payload.option).toHaveLength(payload.destination.length);
        expect(payload.sms_template?.length ?? payload.option.length).toBe(payload.option.length);
        expect(fromPayload(payload, settings.filler)).toEqual(menu);
      }),
      { numRuns: runs(500) },
    );
  });
});
