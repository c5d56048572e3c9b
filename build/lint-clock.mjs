/** A rule for oxlint: `new Date()` without an argument reads the clock of the machine. */
export default {
  meta: { name: "ivrctl" },
  rules: {
    "no-clock": {
      create: (context) => ({
        NewExpression(node) {
          if (node.callee.name === "Date" && node.arguments.length === 0) {
            context.report({ node, message: "Take the time from the clock of the host." });
          }
        },
      }),
    },
  },
};
