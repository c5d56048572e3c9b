export const rules = {};
