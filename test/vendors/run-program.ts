import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Program } from "../../lib/contract/openapi/page/programs/program.ts";
import { programSettings } from "../../lib/contract/openapi/page/programs/settings.ts";
import type { Destination } from "../../lib/domain/destination.ts";
import { weather } from "./model-server.ts";

/** Folder from which programs resolve the packages of this folder. */
const folder = join(import.meta.dirname, "node_modules/.programs");

const question = JSON.stringify({ question: weather.question });

/** Code that calls what a program exports, as its platform does, by topic. Other programs run when they are loaded. */
const callers: Readonly<Record<string, string>> = {
  "aws-lambda": `console.log(await handler(${question}));`,
  vercel: `const promises = [];
const requestContext = { headers: {}, waitUntil: (promise) => promises.push(promise) };
globalThis[Symbol.for("@vercel/request-context")] = { get: () => requestContext };
const call = POST(new Request("http://127.0.0.1/", { method: "POST", body: ${JSON.stringify(question)} }));
await call.catch(() => {});
await Promise.all(promises);
console.log(await (await call).text());`,
};

/** Result of a program that ended. */
export interface ProgramResult {
  readonly exitCode: number | null;
  readonly output: string;
}

/**
 * Runs a program exactly as its page shows it, with the page's variables, in a process that ends with its last statement, as a
 * function is frozen after its reply. A failed program stays for `grace` milliseconds, in which its exporter can send.
 *
 * @param modelUrl base URL of the model that the program calls; other hosts than this machine are refused.
 */
export const runProgram = async (
  { topic, settings, code }: Program,
  destination: Destination,
  modelUrl: string,
  grace = 0,
): Promise<ProgramResult> => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${topic}-${destination.projectName}.mjs`);
  writeFileSync(file, [code, callers[topic] ?? "", "process.exit(0);", ""].join("\n"));
  const program = spawn(process.execPath, ["--import", join(import.meta.dirname, "this-machine-only.ts"), file], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      OPENAI_API_KEY: "none",
      OPENAI_BASE_URL: modelUrl,
      EXIT_GRACE: String(grace),
      OTEL_BSP_SCHEDULE_DELAY: "200",
      LANGFUSE_FLUSH_INTERVAL: "0.2",
      ...programSettings[settings].variables(destination),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [outputs] = await Promise.all([
    Promise.all([text(program.stdout), text(program.stderr)]),
    once(program, "close"),
  ]);
  rmSync(file);
  return { exitCode: program.exitCode, output: outputs.join("") };
};
