import manifest from "../../package.json" with { type: "json" };

export const version: string = manifest.version;

/** The Node it is made for: `>=20.19`. */
export const nodeRange: string = manifest.engines.node;
