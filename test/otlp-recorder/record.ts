/** Entry point of `node test/otlp-recorder/record.ts`: installs what `recordings.ts` records, and starts it. */
import { installPackages } from "../../infra/supply/install-packages.ts";

installPackages(import.meta.dirname);
await import(new URL("recordings.ts", import.meta.url).href);
