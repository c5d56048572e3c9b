import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import {
  type ClientCapabilities,
  CodeActionRequest,
  CompletionRequest,
  DefinitionRequest,
  type Diagnostic,
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DidSaveTextDocumentNotification,
  DocumentFormattingRequest,
  DocumentSymbolRequest,
  HoverRequest,
  InitializeRequest,
  InitializedNotification,
  PrepareRenameRequest,
  PublishDiagnosticsNotification,
  type Position,
  type ProtocolConnection,
  type RegistrationParams,
  ReferencesRequest,
  RegistrationRequest,
  RenameRequest,
  type TextEdit,
  WorkspaceSymbolRequest,
  createProtocolConnection,
} from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { serve } from "../../src/lsp/language-server.ts";
import type { Settings } from "../../src/lsp/workspace.ts";
import { testHost } from "./host.ts";

/** The cursor in a text. */
const cursor = "¦";

/** Starts a language server in this process, and an editor that talks to it about files under `root`. */
export async function startEditor(
  root: string,
  settings: Partial<Settings> = {},
  abilities: ClientCapabilities = {},
) {
  const [toServer, toEditor] = [new PassThrough(), new PassThrough()];
  const ended = serve(toServer, toEditor, {
    root: undefined,
    globals: { env: undefined },
    host: testHost({ env: {} }),
    ...settings,
  });
  const connection = createProtocolConnection(toEditor, toServer);
  onTestFinished(async () => {
    connection.dispose();
    toServer.end();
    await ended;
  });
  return editorOf(connection, root, abilities);
}

/** An editor with files under `root`, connected to a language server. */
export async function editorOf(
  connection: ProtocolConnection,
  root: string,
  abilities: ClientCapabilities = {},
) {
  const problems = new Map<string, readonly Diagnostic[]>();
  const documents = new Map<string, TextDocument>();
  const listeners = new Set<(uri: string, diagnostics: readonly Diagnostic[]) => void>();
  connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
    problems.set(uri, diagnostics);
    for (const listener of listeners) listener(uri, diagnostics);
  });
  const registered = new Promise<RegistrationParams>((resolve) => {
    connection.onRequest(RegistrationRequest.type, resolve);
  });
  connection.listen();
  const { capabilities } = await connection.sendRequest(InitializeRequest.type, {
    processId: null,
    rootUri: null,
    capabilities: abilities,
  });
  await connection.sendNotification(InitializedNotification.type, {});
  const uriOf = (file: string) => pathToFileURL(join(root, file)).href;
  const about = (file: string) => ({ textDocument: { uri: uriOf(file) } });
  const place = (file: string, position: Position) => ({ ...about(file), position });

  /** Shows a text in the editor without saving it. Returns the position of the cursor in it. */
  const type = async (file: string, written = readFileSync(join(root, file), "utf8")) => {
    const uri = uriOf(file);
    const text = written.replace(cursor, "");
    const known = documents.get(uri);
    const version = (known?.version ?? 0) + 1;
    const document = TextDocument.create(uri, "yaml", version, text);
    documents.set(uri, document);
    if (known === undefined) {
      await connection.sendNotification(DidOpenTextDocumentNotification.type, {
        textDocument: { uri, languageId: "yaml", version, text },
      });
    } else {
      const range = { start: known.positionAt(0), end: known.positionAt(known.getText().length) };
      await connection.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri, version },
        contentChanges: [{ range, text }],
      });
    }
    return document.positionAt(Math.max(written.indexOf(cursor), 0));
  };
  const apply = (file: string, edits: readonly TextEdit[]) => {
    const document = documents.get(uriOf(file));
    return document === undefined ? "" : TextDocument.applyEdits(document, [...edits]);
  };
  return {
    connection,
    capabilities,
    /** What the server asks the editor to do, for example to watch files. */
    registered,
    uriOf,
    type,
    save: async (file: string) =>
      connection.sendNotification(DidSaveTextDocumentNotification.type, about(file)),
    close: async (file: string) => {
      documents.delete(uriOf(file));
      await connection.sendNotification(DidCloseTextDocumentNotification.type, about(file));
    },
    /** Waits until the server publishes such problems of a file. */
    published: (wanted: string, matches: (diagnostics: readonly Diagnostic[]) => boolean) =>
      new Promise<void>((resolve) => {
        listeners.add((uri, diagnostics) => {
          if (uri === wanted && matches(diagnostics)) resolve();
        });
      }),
    /** The problems of all files, by address. The server answers only after its check. */
    problems: async (file: string) => {
      await connection.sendRequest(DocumentSymbolRequest.type, about(file));
      return problems;
    },
    /** The suggestions at the cursor, and the text after each of them. */
    complete: async (file: string, written: string) => {
      const position = await type(file, written);
      const found = await connection.sendRequest(CompletionRequest.type, place(file, position));
      const items = Array.isArray(found) ? found : (found?.items ?? []);
      return items.map((item) => ({
        ...item,
        text: item.textEdit && "range" in item.textEdit ? apply(file, [item.textEdit]) : "",
      }));
    },
    hover: async (file: string, written?: string) => {
      const position = await type(file, written);
      const found = await connection.sendRequest(HoverRequest.type, place(file, position));
      const contents = found?.contents ?? "";
      return typeof contents === "object" && "value" in contents ? contents.value : "";
    },
    /** The place that the thing at the cursor is defined at: `FILE:LINE:COLUMN`, from 0. */
    definition: async (file: string, written?: string) => {
      const position = await type(file, written);
      const found = await connection.sendRequest(DefinitionRequest.type, place(file, position));
      const [location] = [found ?? []].flat();
      if (location === undefined || !("uri" in location)) return undefined;
      const { line, character } = location.range.start;
      return `${location.uri.slice(uriOf("/").length)}:${line}:${character}`;
    },
    /** The places of what is at the cursor: `FILE:LINE:COLUMN`, from 0. */
    references: async (file: string, written?: string) => {
      const position = await type(file, written);
      const context = { includeDeclaration: true };
      const found = await connection.sendRequest(ReferencesRequest.type, {
        ...place(file, position),
        context,
      });
      return (found ?? []).map(({ uri, range: { start } }) => {
        return `${uri.slice(uriOf("/").length)}:${start.line}:${start.character}`;
      });
    },
    /** The name at the cursor, and the edit that renames it everywhere. */
    rename: async (file: string, written: string, newName: string) => {
      const position = await type(file, written);
      const old = await connection.sendRequest(PrepareRenameRequest.type, place(file, position));
      const edit = await connection.sendRequest(RenameRequest.type, {
        ...place(file, position),
        newName,
      });
      return { old: old && "placeholder" in old ? old.placeholder : undefined, edit };
    },
    /** The symbols of the project with a text in their names. */
    named: async (query: string) =>
      (await connection.sendRequest(WorkspaceSymbolRequest.type, { query })) ?? [],
    format: async (file: string, written?: string) => {
      await type(file, written);
      const edits = await connection.sendRequest(DocumentFormattingRequest.type, {
        ...about(file),
        options: { tabSize: 2, insertSpaces: true },
      });
      return edits && apply(file, edits);
    },
    symbols: async (file: string, written?: string) => {
      await type(file, written);
      return connection.sendRequest(DocumentSymbolRequest.type, about(file));
    },
    /** The quick fixes on the line of the cursor, and the text after each of them. */
    fixes: async (file: string, written: string, only?: string) => {
      const start = await type(file, written);
      await connection.sendRequest(DocumentSymbolRequest.type, about(file));
      const found = await connection.sendRequest(CodeActionRequest.type, {
        ...about(file),
        range: { start, end: start },
        context: {
          diagnostics: [...(problems.get(uriOf(file)) ?? [])],
          ...(only === undefined ? {} : { only: [only] }),
        },
      });
      return (found ?? []).map((action) => ({
        ...action,
        text: "edit" in action ? apply(file, action.edit?.changes?.[uriOf(file)] ?? []) : "",
      }));
    },
  };
}
