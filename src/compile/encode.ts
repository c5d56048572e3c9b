import type { WireField } from "../schema/config.ts";
import type { Payload } from "../schema/wire.ts";
import type { Wire } from "../project/environment.ts";
import { type ResolvedMenu, type ResolvedRecording, destinationText } from "./menu.ts";
import { allFieldsDefined, allItemsDefined } from "../util/defined.ts";

/**
 * The payload of a menu: the fields of the service, in the order of its field table.
 * Undefined if the menu is incomplete. Then `wire` is not read, because reading it would
 * report variables that are not set.
 */
export function encode(menu: ResolvedMenu, wire: Wire): Payload | undefined {
  const { name, description, recording, options, invalid, timeout, extra } = menu;
  const given = allFieldsDefined({
    name,
    description,
    recording,
    options,
    destinations:
      options && allItemsDefined(options.map((option) => destinationText(option.destination))),
    invalidRetries: invalid.retries,
    invalidRecording: invalid.recording,
    invalidDestination: destinationText(invalid.destination),
    wait: timeout.wait,
    timeoutRetries: timeout.retries,
    retryRecording: timeout.retryRecording,
    timeoutRecording: timeout.recording,
    timeoutDestination: destinationText(timeout.destination),
  });
  if (given === undefined) return undefined;
  const [numbers, plainRecordings] = [wire.numbers(), wire.plainRecordings()];
  const recordingText = (field: WireField, { value: { id } }: ResolvedRecording) =>
    plainRecordings.has(field) ? id : `recording||${id}`;
  const count = (digits: string) => (numbers === "number" ? asNumber(digits) : digits);
  return {
    name: given.name.value,
    description: given.description.value,
    recording: recordingText("recording", given.recording),
    timeout: count(given.wait.value),
    option: given.options.map(({ key }) => count(key)),
    destination: given.destinations,
    incorrect_count: count(given.invalidRetries.value),
    invalid_recording: recordingText("invalid_recording", given.invalidRecording),
    invalid_destination: given.invalidDestination,
    timeout_retry_recording: recordingText("timeout_retry_recording", given.retryRecording),
    timeout_recording: recordingText("timeout_recording", given.timeoutRecording),
    timeout_destination: given.timeoutDestination,
    timeout_tries: count(given.timeoutRetries.value),
    ...(given.options.some(({ sms }) => sms !== undefined)
      ? { sms_template: given.options.map(({ sms }) => sms?.id ?? wire.noSmsTemplate()) }
      : {}),
    ...(extra.timeoutRetries === undefined
      ? {}
      : { timeout_retries: Number(extra.timeoutRetries.value) }),
    ...(extra.recordingInvalid === undefined
      ? {}
      : { recording_invalid: recordingText("recording_invalid", extra.recordingInvalid) }),
  };
}

/** Returns digits as a number, unless that would change them. */
function asNumber(digits: string): string | number {
  const number = Number(digits);
  return Number.isSafeInteger(number) && String(number) === digits ? number : digits;
}
