// Measures plain text itself and loads the real string-width for everything else.
//
// yargs measures every word of a help text, and it renders the help for every command. V8 checks the
// pattern `\p{RGI_Emoji}` of string-width as soon as it reads the file, which takes longer than many
// commands. Therefore the package is a separate file in `dist/chunks`, loaded on first use.
module.exports = (text) =>
  /^[\x20-\x7e\u2026]*$/.test(text) ? text.length : require("ivrctl:string-width").default(text);
