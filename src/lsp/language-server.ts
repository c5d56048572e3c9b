import type { Readable, Writable } from "node:stream";
import {
  CodeActionKind,
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
import { format } from "../yaml/formatter.ts";
import { completions } from "./complete.ts";
import { toLocation, rangeIn } from "./convert.ts";
import { fixesFor } from "./fixes.ts";
import { findDefinition, findReferences, explain } from "./look-up.ts";
import type { OpenFile } from "./place.ts";
import { prepareRename, renameAt } from "./rename.ts";
import { namedSymbols, symbolsIn } from "./symbols.ts";
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
  workspaceSymbolProvider: true,
  referencesProvider: true,
  renameProvider: { prepareProvider: true },
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
};

function answer(connection: Connection, settings: Settings): void {
  // The editor may be gone, or refuse a request. Neither is a reason to end with an error.
  const unanswered = () => {};
  const documents = new TextDocuments(TextDocument);
  const workspace = new Workspace(settings, {
    documents,
    publish: (params) => void connection.sendDiagnostics(params).catch(unanswered),
    report: (error) =>
      connection.console.error(
        secrets.mask(error instanceof Error ? (error.stack ?? error.message) : String(error)),
      ),
  });
  let watchesFiles = false;
  let renamesFiles = false;
  connection.onInitialize(({ capabilities: { workspace: client } }) => {
    const { documentChanges, resourceOperations = [] } = client?.workspaceEdit ?? {};
    renamesFiles = documentChanges === true && resourceOperations.includes("rename");
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
  const recheck = () => workspace.recheck();
  connection.onDidChangeWatchedFiles(recheck);
  documents.onDidChangeContent(recheck);
  documents.onDidSave(recheck);
  documents.onDidClose(recheck);
  documents.listen(connection);

  const reply =
    <P extends { readonly textDocument: TextDocumentIdentifier }, R>(
      make: (file: OpenFile, params: P) => R | Promise<R>,
    ) =>
    async (params: P) => {
      const file = await workspace.find(params.textDocument.uri);
      return file === undefined ? null : make(file, params);
    };
  connection.onCompletion(
    reply((file, { position }) => completions(file, offsetIn(file, position))),
  );
  connection.onHover(
    reply((file, { position }) => {
      const value = explain(file, offsetIn(file, position));
      return value === undefined ? null : { contents: { kind: "markdown", value } };
    }),
  );
  connection.onDefinition(
    reply((file, { position }) => {
      const place = findDefinition(file, offsetIn(file, position));
      return place ? toLocation(place, file.uriOf) : null;
    }),
  );
  connection.onReferences(
    reply((file, { position, context }) =>
      findReferences(file, offsetIn(file, position), context.includeDeclaration).map((place) =>
        toLocation(place, file.uriOf),
      ),
    ),
  );
  connection.onPrepareRename(
    reply((file, { position }) => prepareRename(file, offsetIn(file, position))),
  );
  connection.onRenameRequest(
    reply((file, { position, newName }) =>
      renameAt(file, offsetIn(file, position), newName, renamesFiles),
    ),
  );
  connection.onWorkspaceSymbol(async ({ query }) =>
    (await workspace.projects()).flatMap(({ project, uriOf }) =>
      namedSymbols(project, query, uriOf),
    ),
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
}

function offsetIn({ source }: OpenFile, { line, character }: Position): number {
  return source.offset(line + 1, character + 1);
}
