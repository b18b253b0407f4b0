/**
 * `npm start`: the whole service on this machine.
 *
 * Flags: `--fresh` deletes the local data first; `--limit-factor N` multiplies every rate limit; `--no-sign-in` takes
 * calls of this machine without a credential for the developer's. Environment: `PORT`
 * (default 4000; 0 is any free port), `JWT` (the setting `jwt`: issuers beside the local one), `JUDGE_MODEL`, `EMBEDDING_MODEL`, the providers' own (`ssm/shell-providers.ts`),
 * `ASSAY_LOCAL_DIR`, `DYNAMODB` (`dynamodb/choose-engine.ts`).
 */
import { mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { localDirectory } from "./local-directory.ts";

const directory = localDirectory();
mkdirSync(directory, { recursive: true, mode: 0o700 });
// Before anything large is loaded: compiling hundreds of modules is half of an unchanged start.
enableCompileCache(join(directory, "compile-cache"));
const { run } = await import("./run.ts");
await run(directory);
