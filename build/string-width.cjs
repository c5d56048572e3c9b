// yargs and its cliui measure every word of a help text, which they render for every command.
// string-width prepares a segmenter and large patterns when it is loaded, which takes longer than many
// commands. The help texts are English and need neither: all their characters are one column wide.
module.exports = (text) =>
  /^[\x20-\x7e\u2026]*$/.test(text)
    ? text.length
    : require("../node_modules/string-width/index.js").default(text);
