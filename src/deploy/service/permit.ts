/**
 * Without it a request does not leave. It lapses with time, so it is looked at
 * last: when there is a connection, and before the first byte is written.
 */
export interface Permit {
  /** At this very moment; it costs nothing to ask. */
  isGood(): boolean;
  /** Once it has lapsed; false where it is gone for good. */
  renew(): Promise<boolean>;
}
