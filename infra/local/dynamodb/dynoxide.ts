import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, type Endpoint } from "../host/loopback-server.ts";
import type { ProcessRegister } from "../host/process-register.ts";

/** A running DynamoDB with the file it keeps its data in. */
export interface Database extends Endpoint {
  readonly path: string;
}

const binary = (): string => {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    const path = join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), "dynoxide");
    if (existsSync(path)) return path;
  } catch {
    // Not installed: said below.
  }
  throw new Error(
    `No local DynamoDB for ${process.platform}-${process.arch}: the npm package ${name} is not installed ` +
      "(run npm install; it exists for linux-x64).",
  );
};

const answers = async (url: string): Promise<boolean> => {
  const reply = await fetch(url, { method: "POST", signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
  return reply !== undefined;
};

/**
 * Starts dynoxide on a free loopback port with its data in one file.
 *
 * Does not do by itself, see `repairs.ts` and `time-to-live.ts`: expiry, trimming of streams, an index for them. Emits a
 * stream record for a put that changes nothing (dropped in `mapping/stream-records.ts`). Never throttles, never
 * conflicts between transactions, always reads strongly.
 *
 * @throws Error when the platform has no binary or it does not answer within ten seconds.
 */
export const startDynoxide = async (path: string, register: ProcessRegister): Promise<Database> => {
  const port = await freePort();
  const child = spawn(binary(), ["--host", "127.0.0.1", "--port", String(port), "--db-path", path], {
    stdio: "ignore",
  });
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  register.add(child.pid);
  const url = `http://127.0.0.1:${port}`;
  const close = async (): Promise<void> => {
    child.kill("SIGTERM");
    const forced = setTimeout(() => child.kill("SIGKILL"), 3_000);
    await exited;
    clearTimeout(forced);
    register.remove(child.pid);
  };
  const deadline = Date.now() + 10_000;
  while (!(await answers(url))) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await close();
      throw new Error(`The local DynamoDB did not start on ${path}.`);
    }
    await sleep(10);
  }
  return { url, path, close };
};
