import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, symlinkSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";
import { readJson } from "../../../infra/local/host/json-file.ts";
import { freePort } from "../../../infra/local/host/loopback-server.ts";
import { repository } from "../../../infra/local/repository.ts";
import { sharedBuilds } from "../../support/service/shared-builds.ts";

/** A process of a program: CPU seconds since its start with its ended children, and resident megabytes. */
interface Usage {
  readonly command: string;
  readonly cpu: number;
  readonly megabytes: number;
}

/** A running program whose processes are measured. */
export interface Program {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the usage of the program's processes, by `/proc`. */
  usage(): readonly Usage[];
  stop(): Promise<void>;
}

const ticksPerSecond = 100;
const pageBytes = 4096;

/** Returns the processes below one and itself. */
const usageOf = (root: number): readonly Usage[] => {
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((pid) => {
      try {
        const text = readFileSync(`/proc/${pid}/stat`, "utf8");
        const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
        const [parent, ...times] = [1, 11, 12, 13, 14].map((at) => Number(fields[at]));
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        const cpu = times.reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond;
        return [{ pid: Number(pid), parent, command, cpu, megabytes: (Number(fields[21]) * pageBytes) / 2 ** 20 }];
      } catch {
        // The process has ended meanwhile.
        return [];
      }
    });
  const below = (pid: number): readonly Usage[] =>
    processes.filter((each) => each.parent === pid).flatMap((each) => below(each.pid).concat(each));
  return below(root).concat(processes.filter(({ pid }) => pid === root));
};

/** Returns the CPU seconds of some processes. */
export const cpuOf = (processes: readonly Usage[], matches: (command: string) => boolean = () => true): number =>
  processes.filter(({ command }) => matches(command)).reduce((sum, { cpu }) => sum + cpu, 0);

/** Waits until a program does nothing any more: what follows the last reply is its work too. */
export const untilIdle = async (program: Program): Promise<void> => {
  for (let before = Number.NaN, now = cpuOf(program.usage()); !(now - before < 0.1); now = cpuOf(program.usage())) {
    before = now;
    await wait(1_500);
  }
};

const startTimeoutMs = 180_000;

const start = async (
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  find: () => Promise<Pick<Program, "url" | "headers"> | null>,
  directory: string,
  matches: (command: string) => boolean = () => true,
): Promise<Program> => {
  const child = spawn(command, args, { cwd: repository, env: { ...process.env, ...environment }, stdio: "ignore" });
  const exit = once(child, "exit");
  const remove = (): void => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  const stop = async (): Promise<void> => {
    child.kill();
    await exit;
    remove();
  };
  const until = Date.now() + startTimeoutMs;
  for (;;) {
    const place = await find().catch(() => null);
    if (place !== null)
      return { ...place, usage: () => usageOf(child.pid ?? 0).filter(({ command }) => matches(command)), stop };
    if (child.exitCode !== null || Date.now() > until) {
      await stop();
      throw new Error(`${command} does not start.`);
    }
    await wait(300);
  }
};

const temporary = (): string => mkdtempSync(join(tmpdir(), "assay-beside-"));

const readyFile = v.object({
  base_url: v.string(),
  api_key: v.string(),
  project_name: v.string(),
  project_id: v.string(),
  dynamodb_url: v.string(),
  tables: v.record(v.string(), v.string()),
});

/** Starts this service as `npm start` does. @returns it with what its ready file says. */
export const startAssay = async () => {
  const directory = temporary();
  mkdirSync(sharedBuilds, { recursive: true });
  symlinkSync(sharedBuilds, join(directory, "builds"));
  let ready: v.InferOutput<typeof readyFile> | undefined;
  const program = await start(
    process.execPath,
    ["--max-semi-space-size=8", "infra/local/start.ts", "--limit-factor", "100"],
    { ASSAY_LOCAL_DIR: directory, PORT: "0", MALLOC_ARENA_MAX: "2" },
    async () => {
      const text = readJson(join(directory, "ready.json"));
      if (text === undefined) return null;
      ready = v.parse(readyFile, text);
      return { url: ready.base_url, headers: { "X-API-Key": ready.api_key, "X-Project-Name": ready.project_name } };
    },
    directory,
  );
  if (ready === undefined) throw new Error("The service has no ready file.");
  return { ...program, ready };
};

const answers = async (url: string): Promise<boolean> => (await fetch(url)).ok;

/** Returns the program that a variable names; null, with a sentence, if it names none. */
export const peerProgram = (variable: string, installation: string): string | null => {
  const program = process.env[variable];
  if (program !== undefined && program !== "") return program;
  console.log(
    `Not compared: set ${variable} to the program of ${installation}, installed into an environment of its own.`,
  );
  return null;
};

/** Starts MLflow's server on a database of its own. Its job runners, which ask for jobs without end, do not count. @param program path of `mlflow` */
export const startMlflow = async (program: string): Promise<Program> => {
  const [directory, port] = [temporary(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const place = ["--backend-store-uri", `sqlite:///${directory}/mlflow.db`, "--artifacts-destination", directory];
  const args = ["server", "--host", "127.0.0.1", "--port", String(port), "--workers", "1", ...place];
  const headers = { "x-mlflow-experiment-id": "0" };
  const find = async () => ((await answers(`${url}/health`)) ? { url, headers } : null);
  return start(program, args, {}, find, directory, (command) => command.includes("uvicorn"));
};

/** Starts Phoenix on a database of its own. @param program path of `phoenix` */
export const startPhoenix = async (program: string): Promise<Program> => {
  const [directory, port, grpc] = [temporary(), await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    PHOENIX_WORKING_DIR: directory,
    PHOENIX_HOST: "127.0.0.1",
    PHOENIX_PORT: String(port),
    PHOENIX_GRPC_PORT: String(grpc),
    PHOENIX_TELEMETRY_ENABLED: "false",
  };
  const find = async () => ((await answers(`${url}/healthz`)) ? { url, headers: {} } : null);
  return start(program, ["serve"], environment, find, directory);
};
