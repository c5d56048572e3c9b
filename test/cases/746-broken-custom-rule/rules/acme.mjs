export default {
  name: "acme",
  rules: {
    throws: { check: () => { throw new Error("no\u001B[31m\nidea"); } },
    odd: { check: () => { throw { toString: () => { throw new Error("odd"); } }; } },
    promise: { check: async () => { throw new Error("late"); } },
    nowhere: { check: (menu, { report }) => report({ at: { line: 1 }, message: "x" }) },
    wordless: { check: (menu, { report }) => report({ at: menu.at, message: " " }) },
    nothing: { check: (menu, { report }) => report() },
    changes: { check: (menu) => { menu.options.push(menu.options[0]); } },
    late: { check: (menu, { report }) => void setTimeout(() => report({ at: menu.at, message: "late" }), 0) },
    off: { severity: "off", check: () => { throw new Error("never run"); } },
  },
};
