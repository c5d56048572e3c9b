export default { name: "fine", rules: {} };
