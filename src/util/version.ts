import manifest from "../../package.json" with { type: "json" };

export const version: string = manifest.version;

/** The supported Node versions: `>=20.19`. */
export const nodeRange: string = manifest.engines.node;
