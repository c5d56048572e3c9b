import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  type CodeAction,
  CodeActionKind,
  type CodeActionParams,
  DidChangeWatchedFilesNotification,
  type InitializeResult,
  type Position,
  PositionEncodingKind,
  type TextDocumentIdentifier,
  TextDocumentSyncKind,
  TextDocuments,
  createConnection,
} from "vscode-languageserver";
import { createProtocolConnection } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { secrets } from "../util/secrets.ts";
import { version } from "../util/version.ts";
import { format } from "../yaml/format.ts";
import { suggest } from "./complete.ts";
import { locationOf, rangeIn } from "./convert.ts";
import { type Fix, fixed } from "./fixes.ts";
import { offersIn } from "./offers.ts";
import { definitionOf, explain } from "./look-up.ts";
import type { OpenFile } from "./place.ts";
import { lensesIn, symbolsIn } from "./symbols.ts";
import { type Settings, Workspace } from "./workspace.ts";

/** Answers an editor until it says goodbye or closes the input. Returns whether it said goodbye. */
export async function serve(
  input: Readable,
  output: Writable,
  settings: Settings,
): Promise<boolean> {
  return new Promise((resolve) => {
    const watchDog = {
      shutdownReceived: false,
      initialize: () => {},
      exit: () => resolve(watchDog.shutdownReceived),
    };
    input.once("close", watchDog.exit).once("end", watchDog.exit);
    // The editor may end while an answer is written.
    output.on("error", watchDog.exit);
    const connection = createConnection(
      (logger) => createProtocolConnection(input, output, logger),
      watchDog,
    );
    answer(connection, settings);
    connection.listen();
  });
}

type Connection = ReturnType<typeof createConnection>;

const capabilities: InitializeResult["capabilities"] = {
  positionEncoding: PositionEncodingKind.UTF16,
  textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
  completionProvider: { triggerCharacters: [" ", "{"] },
  hoverProvider: true,
  definitionProvider: true,
  documentFormattingProvider: true,
  documentSymbolProvider: true,
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.SourceFixAll] },
  codeLensProvider: {},
};

function answer(connection: Connection, settings: Settings): void {
  // The editor may be gone, or refuse a request. Neither is a reason to end with an error.
  const unanswered = () => {};
  const workspace = new Workspace(settings, {
    publish: (params) => void connection.sendDiagnostics(params).catch(unanswered),
    report: (error) =>
      connection.console.error(
        secrets.mask(error instanceof Error ? (error.stack ?? error.message) : String(error)),
      ),
  });
  const documents = new TextDocuments(TextDocument);
  let watchesFiles = false;
  connection.onInitialize(({ capabilities: { workspace: client } }) => {
    watchesFiles = client?.didChangeWatchedFiles?.dynamicRegistration === true;
    return { capabilities, serverInfo: { name: "ivrctl", version } };
  });
  connection.onInitialized(() => {
    if (!watchesFiles) return;
    const watchers = ["**/ivrctl.yaml", "**/ivrs/**", "**/agents*.lock.json"];
    const options = { watchers: watchers.map((globPattern) => ({ globPattern })) };
    const { type } = DidChangeWatchedFilesNotification;
    void connection.client.register(type, options).catch(unanswered);
  });
  connection.onDidChangeWatchedFiles(() => workspace.recheck());
  documents.onDidChangeContent(({ document }) => {
    const path = pathOf(document.uri);
    if (path !== undefined) workspace.change(document.uri, path, document.getText());
  });
  documents.onDidSave(() => workspace.recheck());
  documents.onDidClose(({ document }) => workspace.close(document.uri));
  documents.listen(connection);

  const reply =
    <P extends { readonly textDocument: TextDocumentIdentifier }, R>(
      make: (file: OpenFile, params: P) => R | Promise<R>,
    ) =>
    async (params: P) => {
      const file = await workspace.find(params.textDocument.uri);
      return file === undefined ? null : make(file, params);
    };
  connection.onCompletion(reply((file, { position }) => suggest(file, offsetIn(file, position))));
  connection.onHover(
    reply((file, { position }) => {
      const value = explain(file, offsetIn(file, position));
      return value === undefined ? null : { contents: { kind: "markdown", value } };
    }),
  );
  connection.onDefinition(
    reply((file, { position }) => {
      const place = definitionOf(file, offsetIn(file, position));
      return place ? locationOf(place, file.uriOf) : null;
    }),
  );
  connection.onDocumentFormatting(
    reply(async ({ source }) => {
      const newText = (await format(source, new Diagnostics())) ?? source.text;
      if (newText === source.text) return [];
      return [{ range: rangeIn(source.span(0, source.text.length)), newText }];
    }),
  );
  connection.onDocumentSymbol(reply(symbolsIn));
  connection.onCodeAction(reply(fixesFor));
  connection.onCodeLens(reply(lensesIn));
}

function offsetIn({ source }: OpenFile, { line, character }: Position): number {
  return source.offset(line + 1, character + 1);
}

/** The corrections in a range, and all together that have only one correct form. */
function fixesFor({ source, subject, project }: OpenFile, params: CodeActionParams): CodeAction[] {
  const { range, context, textDocument } = params;
  const { fixes = [] } =
    subject === "test" ? {} : (fixed(source, subject === "config" ? "config" : "menu") ?? {});
  const edit = (chosen: readonly Fix[]) => {
    const edits = chosen.map(({ at, after }) => ({ range: rangeIn(at), newText: after }));
    return { changes: { [textDocument.uri]: edits } };
  };
  const quick = (fix: Fix, code: string): CodeAction[] => {
    const { start, end } = rangeIn(fix.at);
    if (start.line < range.start.line || end.line > range.end.line) return [];
    const title = `Replace ${fix.before.trim()} with ${fix.after.trim()}`;
    const diagnostics = context.diagnostics.filter(
      ({ code: own, range: { start: at } }) =>
        own === code && at.line === start.line && at.character === start.character,
    );
    return [{ title, kind: CodeActionKind.QuickFix, diagnostics, edit: edit([fix]) }];
  };
  const title = "Fix all that has only one correct form";
  const all = { title, kind: CodeActionKind.SourceFixAll, edit: edit(fixes) };
  return [
    ...offersIn(source, project.diagnostics).flatMap((fix) => quick(fix, fix.problem.code)),
    // The others have no diagnostic.
    ...fixes.flatMap((fix) => quick(fix, "IVR108")),
    ...(fixes.length === 0 ? [] : [all]),
  ].filter(
    ({ kind = "" }) => context.only?.some((only) => `${kind}.`.startsWith(`${only}.`)) ?? true,
  );
}

/** The path of a file on disk. Editors also open texts that have none. */
function pathOf(uri: string): string | undefined {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}
