export default {
  name: "acme",
  rules: {
    all: { options: { words: "a", most: 3, strict: false, list: ["x"] }, check() {} },
    greeting: { check() {} },
  },
};
