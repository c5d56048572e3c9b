/** The body of POST /v1/ivr, in the order of the service's field table. */
export interface Payload {
  readonly name: string;
  readonly description: string;
  readonly recording: string;
  readonly timeout: string | number;
  readonly option: readonly (string | number)[];
  /** One for each option, in the same order. */
  readonly destination: readonly string[];
  readonly incorrect_count: string | number;
  readonly invalid_recording: string;
  readonly invalid_destination: string;
  readonly timeout_retry_recording: string;
  readonly timeout_recording: string;
  readonly timeout_destination: string;
  readonly timeout_tries: string | number;
  readonly sms_template?: readonly string[];
  readonly timeout_retries?: number;
  readonly recording_invalid?: string;
}
