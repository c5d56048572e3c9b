import type { OperationName } from "./operations.ts";

/** What the documentation of a vendor says. docs/service.md names the source of each value. */
interface Vendor {
  /** The address of its API, without `/v1`. Absent if it is not public. */
  readonly base_url?: string;
  /** The lists that it documents, except that of users, which has no teams. */
  readonly operations: readonly OperationName[];
  readonly wire: { readonly final_recording?: "required" };
}

/** The vendors with a profile: `service: { vendor: smartflo }`. A setting in ivrctl.yaml overrides each value. */
const vendors = {
  smartflo: {
    base_url: "https://api-smartflo.tatateleservices.com",
    operations: ["list"],
    wire: { final_recording: "required" },
  },
  servetel: {
    base_url: "https://api.servetel.in",
    operations: ["list"],
    wire: { final_recording: "required" },
  },
  acefone: { operations: ["list"], wire: {} },
} as const satisfies Record<string, Vendor>;

export type VendorName = keyof typeof vendors;
export const vendorNames = ["smartflo", "servetel", "acefone"] as const satisfies VendorName[];

export function isVendor(name: string): name is VendorName {
  return Object.hasOwn(vendors, name);
}

export function vendorNamed(name: VendorName): Vendor {
  return vendors[name];
}

/** The vendor with this host in its address. */
export function vendorAt(address: string): VendorName | undefined {
  const host = URL.canParse(address) ? new URL(address).host : "";
  return vendorNames.find((name) => {
    const { base_url: own }: Vendor = vendors[name];
    return own !== undefined && new URL(own).host === host;
  });
}
