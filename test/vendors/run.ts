/**
 * Entry point of `npm run vendors`: runs the programs of `/docs/send-traces` with the versions that their pages install. With `--newest`
 * it installs the newest versions and prints what moved. Topics of pages choose some: `npm run vendors -- --newest mastra agno`.
 */
import { parseArgs } from "node:util";
import { startVitest } from "vitest/node";

const { values, positionals } = parseArgs({ options: { newest: { type: "boolean" } }, allowPositionals: true });
process.env["VENDORS"] = values.newest === true ? "newest" : "pinned";
const topics = positionals.length === 0 ? "" : `/docs/(?:${positionals.join("|")}):`;
await startVitest("test", [], { run: true, config: "vitest.vendors.config.ts", testNamePattern: topics });
