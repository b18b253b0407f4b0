import { join } from "node:path";
import { repository } from "../../../infra/local/repository.ts";

/** Where `npm start` keeps what it built: each combination of sources and settings is built once for all tests. */
export const sharedBuilds = join(repository, ".local", "builds");
