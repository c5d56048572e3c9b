import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import script from "virtual:preview-script";
import { policyHash } from "../util/policy-hash.ts";
import { replaceFile } from "../util/replace-file.ts";
import { describeSystemError } from "../util/system-error.ts";
import { version } from "../util/version.ts";
import type { PreviewData } from "./data.ts";
import { previewStyle } from "./style.ts";

/** Identifies a page that ivrctl wrote. */
const generator = `<meta name="generator" content="ivrctl preview"`;

/**
 * The whole page as one file. Its content security policy allows only the script and the styles in
 * it, so text of a menu can never run.
 */
export function previewDocument(data: PreviewData): string {
  // Without `<`, the data cannot close the element around it.
  const inert = JSON.stringify(data).replaceAll("<", String.raw`\u003c`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy(data)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
${generator} data-version="${version}">
<title>ivrctl preview</title>
<link rel="icon" href="data:,">
<style>${previewStyle}</style>
</head>
<body>
<noscript>This page needs JavaScript to call menus and to draw them. The script is part of this file; nothing is loaded from the network.</noscript>
<script type="application/json" id="data">${inert}</script>
<div id="page"></div>
<script>${script}</script>
</body>
</html>
`;
}

export function policy({ live }: Pick<PreviewData, "live">): string {
  return [
    "default-src 'none'",
    `script-src ${policyHash(script)}`,
    `style-src ${policyHash(previewStyle)}`,
    "img-src data:",
    ...(live ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Writes the page. Returns why it cannot; a file that is not an earlier page is never replaced. */
export function writePage(path: string, page: string): string | undefined {
  try {
    mkdirSync(dirname(path), { recursive: true });
    if (existsSync(path) && !readFileSync(path, "utf8").includes(generator)) {
      return "it already exists, and `ivrctl preview` did not write it";
    }
    replaceFile(path, page);
    return undefined;
  } catch (error) {
    return describeSystemError(error);
  }
}
