import { resolve } from "node:path";
import { repository } from "./repository.ts";

/** Where the local service keeps its data: what `ASSAY_LOCAL_DIR` says, else `.local` in the repository. */
export const localDirectory = (): string => resolve(repository, process.env["ASSAY_LOCAL_DIR"] ?? ".local");
