import { resolve } from "node:path";

/** The repository's root. */
export const repository = resolve(import.meta.dirname, "../..");
