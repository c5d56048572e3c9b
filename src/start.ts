// The command's entry.
void import("./cli.ts");
