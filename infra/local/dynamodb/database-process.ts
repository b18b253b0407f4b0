import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { endWithThisProcess } from "../host/end-with-this-process.ts";
import { freePort, type Endpoint } from "../host/loopback-server.ts";
import type { ProcessRegister } from "../host/process-register.ts";

/** How a database program is run. */
interface Run {
  readonly command: string;
  parameters(port: number): readonly string[];
  /** It ends by itself when its input does, which a process cannot hold open once it is gone. */
  readonly endsWithInput: boolean;
  /** The sentence for a start that failed. @param words what the program said last */
  explain(words: string): string | Promise<string>;
}

/** A Java that shares a busy machine takes its time. */
const patienceMs = 120_000;

const answers = async (url: string): Promise<boolean> => {
  const reply = await fetch(url, { method: "POST", signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
  return reply !== undefined;
};

/**
 * Runs a database program on a free port until it is closed, or this process is gone, however it ended.
 *
 * @throws Error with the program's own explanation when it ends or does not answer within two minutes.
 */
export const runDatabase = async (register: ProcessRegister, run: Run): Promise<Endpoint> => {
  const port = await freePort();
  const child = spawn(run.command, run.parameters(port), { stdio: ["pipe", "ignore", "pipe"] });
  let words = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    words = (words + text).slice(-500);
  });
  // Its exit tells more than a pipe that broke.
  child.stdin.on("error", () => undefined);
  let running = true;
  const exited = new Promise<void>((resolve) => {
    const end = (): void => {
      running = false;
      resolve();
    };
    child.once("exit", end);
    child.once("error", end);
  });
  register.add(child.pid);
  const release = run.endsWithInput || child.pid === undefined ? () => undefined : endWithThisProcess(child.pid);
  void exited.then(release);

  const close = async (): Promise<void> => {
    child.stdin.end();
    child.kill("SIGTERM");
    const forced = setTimeout(() => child.kill("SIGKILL"), 3_000);
    await exited;
    clearTimeout(forced);
    register.remove(child.pid);
  };
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + patienceMs;
  while (!(await answers(url))) {
    if (running && Date.now() < deadline) {
      await sleep(10);
      continue;
    }
    await close();
    throw new Error((await run.explain(words.trim())).trim());
  }
  return { url, close };
};
