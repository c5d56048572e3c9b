// @ts-check

/*
 * Functions that read values from external JSON. They return undefined if the value has another type.
 */

/**
 * @param {unknown} value
 * @param {...string} path
 * @returns {unknown}
 */
export function at(value, ...path) {
  let here = value;
  for (const name of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, name)) return undefined;
    here = Reflect.get(here, name);
  }
  return here;
}

/**
 * @param {unknown} value
 * @param {...string} path
 * @returns {string | undefined}
 */
export function textAt(value, ...path) {
  const found = at(value, ...path);
  return typeof found === "string" ? found : undefined;
}

/**
 * Reads an id of GitHub or GitLab, which is a number.
 *
 * @param {unknown} value
 * @param {...string} path
 * @returns {number | undefined}
 */
export function numberAt(value, ...path) {
  const found = at(value, ...path);
  return typeof found === "number" && Number.isSafeInteger(found) ? found : undefined;
}

/**
 * @param {unknown} value
 * @param {...string} path
 * @returns {readonly unknown[]}
 */
export function listAt(value, ...path) {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/**
 * @param {string} text
 * @returns {unknown} undefined if it is not JSON
 */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
