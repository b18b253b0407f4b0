import { resolve } from "node:path";

/** Absolute path of the repository's root directory. */
export const repository = resolve(import.meta.dirname, "../..");
