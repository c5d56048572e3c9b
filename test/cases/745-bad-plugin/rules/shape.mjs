export default { name: "shape", rules: { a: { check: "no" } } };
