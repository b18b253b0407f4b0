import { join } from "node:path";
import { repository } from "../../../infra/local/repository.ts";

/** Build cache of `npm start`, shared by all tests: each combination of sources and settings is built once. */
export const sharedBuilds = join(repository, ".local", "builds");
