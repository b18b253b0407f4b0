import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Program, variablesOf } from "../../lib/contract/openapi/page/programs/programs.ts";
import type { Destination } from "../../lib/domain/destination.ts";
import { type Installation, pythonOf } from "./installation.ts";
import { type Model, weather } from "./model-server.ts";

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

/** How a language's programs are run, and their statement that ends them without further sending. */
const languages = {
  JavaScript: {
    extension: ".mjs",
    ending: "process.exit(0);",
    command: () => [process.execPath, "--import", join(import.meta.dirname, "this-machine-only.ts")] as const,
  },
  Python: {
    extension: ".py",
    ending: "import os, sys; sys.stdout.flush(); os._exit(0)",
    command: (folder: string) => [pythonOf(folder)] as const,
  },
} as const;

/** Result of a program that ended. */
export interface ProgramResult {
  readonly exitCode: number | null;
  readonly output: string;
}

/**
 * Runs a program exactly as its page shows it, with the page's packages and variables, in a process that ends with its last
 * statement, as a function is frozen after its reply. A failed program stays for `grace` milliseconds, in which its exporter can send.
 *
 * @param model what the program calls; other hosts than this machine are refused.
 */
export const runProgram = async (
  program: Program,
  { folder }: Installation,
  destination: Destination,
  model: Model,
  grace = 0,
): Promise<ProgramResult> => {
  const { extension, ending, command } = languages[program.language];
  const file = join(folder, `program-${destination.projectName}${extension}`);
  writeFileSync(file, [program.code, callers[program.topic] ?? "", ending, ""].join("\n"));
  const [executable, ...options] = command(folder);
  const child = spawn(executable, [...options, file], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      PYTHONPATH: join(import.meta.dirname, "python"),
      OPENAI_API_KEY: "none",
      OPENAI_BASE_URL: `${model.url}/v1`,
      OPENAI_API_BASE: `${model.url}/v1`,
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: model.url,
      EXIT_GRACE: String(grace),
      OTEL_BSP_SCHEDULE_DELAY: "200",
      LANGFUSE_FLUSH_INTERVAL: "0.2",
      ...variablesOf(program, destination),
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 120_000,
  });
  const [outputs] = await Promise.all([Promise.all([text(child.stdout), text(child.stderr)]), once(child, "close")]);
  rmSync(file);
  return { exitCode: child.exitCode, output: outputs.join("") };
};
