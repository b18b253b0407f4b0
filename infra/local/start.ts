/**
 * `npm start`: runs the whole service on this machine.
 *
 * Flags: `--fresh` deletes the local data first; `--limit-factor N` multiplies every rate limit; `--no-sign-in` treats
 * requests from this machine without a credential as requests of the developer; `--settings FILE` reads settings of a
 * deployment (ceilings, prices, transcripts, models). Environment variables: `PORT`
 * (default 4000; 0 for any free port), `JWT` (the setting `jwt`: more token issuers), `JUDGE_MODEL`, `EMBEDDING_MODEL`, the
 * variables of the model providers (`ssm/shell-providers.ts`), `EVENT_RECEIVER` (an address of this machine to which events are sent), `ASSAY_LOCAL_DIR`, `DYNAMODB` (`dynamodb/choose-engine.ts`).
 */
import { mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { localDirectory } from "./local-directory.ts";

const directory = localDirectory();
mkdirSync(directory, { recursive: true, mode: 0o700 });
// Enabled before any large import: compiling hundreds of modules takes half the time of a start without builds.
enableCompileCache(join(directory, "compile-cache"));
const { run } = await import("./run.ts");
await run(directory);
