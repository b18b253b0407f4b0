import { resolve } from "node:path";
import { repository } from "./repository.ts";

/** Returns the data directory of the local service: `ASSAY_LOCAL_DIR`, or `.local` in the repository. */
export const localDirectory = (): string => resolve(repository, process.env["ASSAY_LOCAL_DIR"] ?? ".local");
