export default {
  name: "acme",
  rules: {
    greeting: {
      about: "Every prompt greets in our own words.",
      options: { words: "Thank you for calling" },
      check(menu, { options, report }) {
        const { says, at } = menu.recording;
        if (says === undefined || says.startsWith(options.words)) return;
        report({ at, message: `The prompt does not start with “${options.words}”.`, hint: "See the style guide." });
      },
    },
  },
};
