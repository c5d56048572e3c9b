// A replacement for string-width in yargs and cliui, which measure every word of the help. Loading
// string-width takes longer than many commands run. The help texts are English, and all their
// characters are one column wide.
module.exports = (text) =>
  /^[\x20-\x7e\u2026]*$/.test(text)
    ? text.length
    : require("../node_modules/string-width/index.js").default(text);
