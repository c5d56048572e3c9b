import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Page } from "./terminal.ts";

/**
 * - 0: success
 * - 1: something failed or is invalid
 * - 2: there are changes (only with --detailed-exitcode)
 * - 3: an outcome is unknown
 * - 4: the state is locked
 * - 130: interrupted
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 130;

/** A text, or a function that makes it when it is printed. It ends with a line break, or is empty. */
export type View = string | ((page: Page) => string);

/** A result in a format for programs. To an object, the printer adds the version and the diagnostics. */
type Formatter = () => string | object | Promise<string>;
type TextFormatter = () => string | Promise<string>;

/** What a command with these formats returns: each one except text must be there. */
export type ResultIn<Format extends string> = string extends Format
  ? Result
  : [Exclude<Format, "text">] extends [never]
    ? Result
    : Result & {
        readonly formats: {
          readonly [F in Exclude<Format, "text">]: F extends "json" ? Formatter : TextFormatter;
        };
      };

/** What a command found or did. The printer decides what is printed, where, and in which order. */
export interface Result {
  /** Default: 1 if one of the diagnostics is an error, otherwise 0. */
  readonly exit?: ExitCode;
  /** What was asked for. */
  readonly text?: View | undefined;
  /** What is printed instead of the text with --quiet. */
  readonly brief?: View | undefined;
  /** What a program reads: printed to stdout unchanged, before the text. */
  readonly data?: string | undefined;
  /** What was done, after the text. Not printed with --quiet. */
  readonly summary?: View | undefined;
  /** What needs a person, after the summary. Printed even with --quiet. */
  readonly matters?: View | undefined;
  /** What must not be lost: always on stderr, because stdout may be a closed pipe or a full disk. */
  readonly urgent?: View | undefined;
  readonly diagnostics?: readonly Diagnostic[];
  /** Whether the diagnostics come before the summary in text, because the summary matters more. */
  readonly diagnosticsFirst?: boolean;
  /**
   * Whether the diagnostics and the summary are a report: in text on stdout, and in other formats for
   * people on stderr.
   */
  readonly diagnosticsAreText?: true;
  /** Whether all other formats contain the diagnostics, so that these are not printed to stderr too. */
  readonly formatsHaveDiagnostics?: true;
  /** The total, after the diagnostics. Not printed with --quiet. */
  readonly closing?: View | undefined;
  /** Remarks. Not printed with --quiet. */
  readonly notes?: View | undefined;
  /** What to do next, at the end. Printed with --quiet only if something needs a person. */
  readonly next?: View | undefined;
  /** The result in other formats. */
  readonly formats?: Readonly<Record<string, Formatter>>;
}
