import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { commandOf, openProcessRegister } from "../../../../infra/local/host/process-register.ts";
import { eventually, temporaryDirectory } from "../../../support/service/local-fixture.ts";

const host = join(import.meta.dirname, "../../../../infra/local/host");

/** Source of a process that starts an idle child, runs `act` on the child, prints its id and waits to be killed. */
const parent = (act: string): string => `
  import { spawn } from "node:child_process";
  import { endWithThisProcess } from ${JSON.stringify(join(host, "end-with-this-process.ts"))};
  import { openProcessRegister } from ${JSON.stringify(join(host, "process-register.ts"))};
  const idle = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  ${act}
  console.log(idle.pid);
  setInterval(() => {}, 1000);`;

/**
 * Runs a parent process until its child runs, and kills the parent.
 * @returns the id of the child process
 */
const killedParentOf = async (act: string): Promise<number> => {
  const started = spawn(process.execPath, ["--input-type=module", "--eval", parent(act)]);
  const [printed] = await once(started.stdout, "data");
  const pid = Number(String(printed));
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  started.kill("SIGKILL");
  await once(started, "exit");
  return pid;
};

const isAlive = (pid: number): boolean => (commandOf(pid) ?? "") !== "";

const gone = (pid: number): Promise<true> => eventually(() => (isAlive(pid) ? undefined : true));

test("processes left behind by a killed run are ended by the next run", async () => {
  const directory = temporaryDirectory();
  const survivors = await killedParentOf(`openProcessRegister(${JSON.stringify(directory)}).add(idle.pid);`);
  const before = isAlive(survivors);

  openProcessRegister(directory);

  expect(before).toBe(true);
  expect(await gone(survivors)).toBe(true);
});

test("a process that has reused the id of a registered one is not ended", async () => {
  const directory = temporaryDirectory();
  const otherChild = await killedParentOf(`openProcessRegister(${JSON.stringify(directory)}).add(idle.pid);`);
  const path = join(directory, "pids.json");
  writeFileSync(path, readFileSync(path, "utf8").replaceAll("--eval", "--print"));

  openProcessRegister(directory);

  expect(readFileSync(path, "utf8")).not.toContain(String(otherChild));
  expect(isAlive(otherChild)).toBe(true);
});

test("a process that is bound to another one ends with it, even if that one was killed", async () => {
  const survivors = await killedParentOf("endWithThisProcess(idle.pid);");

  expect(await gone(survivors)).toBe(true);
});

test("a process that has reused the id of one that ended by itself is not ended", async () => {
  const otherChild = await killedParentOf("endWithThisProcess(idle.pid)();");

  await wait(500);

  expect(isAlive(otherChild)).toBe(true);
});
