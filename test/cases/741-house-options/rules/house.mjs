export default {
  name: "house",
  rules: {
    all: { options: { words: "a", most: 3, strict: false, list: ["x"] }, check() {} },
    greeting: { check() {} },
  },
};
