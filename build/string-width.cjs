// yargs and its cliui measure every word of a help text. string-width prepares a segmenter and large
// patterns when it is loaded, which takes longer than many commands; English text needs neither.
module.exports = (text) =>
  /^[\x20-\x7e]*$/.test(text)
    ? text.length
    : require("../node_modules/string-width/index.js").default(text);
