import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { localClient } from "../host/aws-client.ts";
import { endWithThisProcess } from "../host/end-with-this-process.ts";
import { freePort, type Endpoint } from "../host/loopback-server.ts";
import type { ProcessRegister } from "../host/process-register.ts";

/** A database program and its command line. */
interface DatabaseProgram {
  readonly command: string;
  parameters(port: number): readonly string[];
  /** True if the program exits when its standard input closes, which happens when this process ends for any reason. */
  readonly endsWithInput: boolean;
  /** Returns the error message of a failed start. @param lastOutput last 500 characters of the standard error, or why the program cannot run */
  describeFailure(lastOutput: string): string | Promise<string>;
}

/** Milliseconds to wait for the first answer. Java takes long to start on a busy machine. */
const startTimeoutMs = 120_000;

/** True if a database lists its tables. A server of another kind may have taken the port meanwhile. */
const isAnswering = async (client: DynamoDBClient): Promise<boolean> => {
  const list = client.send(new ListTablesCommand({}), { abortSignal: AbortSignal.timeout(1_000) });
  const { TableNames } = await list.catch(() => ({ TableNames: undefined }));
  return Array.isArray(TableNames);
};

/**
 * Runs a database program on a free port until it is closed or this process ends, even by `kill -9`.
 *
 * @throws Error with the last output of the program when it exits early or does not answer within two minutes.
 */
export const runDatabase = async (register: ProcessRegister, program: DatabaseProgram): Promise<Endpoint> => {
  const port = await freePort();
  const child = spawn(program.command, program.parameters(port), { stdio: ["pipe", "ignore", "pipe"] });
  let lastOutput = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    lastOutput = (lastOutput + text).slice(-500);
  });
  // The exit of the program is handled below; an error of its broken input pipe adds nothing.
  child.stdin.on("error", () => undefined);
  let isRunning = true;
  const exited = new Promise<void>((resolve) => {
    const end = (): void => {
      isRunning = false;
      resolve();
    };
    child.once("exit", end);
    child.once("error", (error) => {
      lastOutput = error.message;
      end();
    });
  });
  register.add(child.pid);
  const release = program.endsWithInput || child.pid === undefined ? () => undefined : endWithThisProcess(child.pid);
  void exited.then(release);

  const close = async (): Promise<void> => {
    child.stdin.end();
    child.kill("SIGTERM");
    const killTimer = setTimeout(() => child.kill("SIGKILL"), 3_000);
    await exited;
    clearTimeout(killTimer);
    register.remove(child.pid);
  };
  const url = `http://127.0.0.1:${port}`;
  const client = new DynamoDBClient({ ...localClient(url), maxAttempts: 1 });
  const deadline = Date.now() + startTimeoutMs;
  try {
    while (!(await isAnswering(client))) {
      if (isRunning && Date.now() < deadline) {
        await sleep(10);
        continue;
      }
      await close();
      throw new Error((await program.describeFailure(lastOutput.trim())).trim());
    }
  } finally {
    client.destroy();
  }
  return { url, close };
};
