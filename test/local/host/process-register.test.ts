import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { commandOf, openProcessRegister } from "../../../infra/local/host/process-register.ts";
import { eventually, temporaryDirectory } from "../../support/service/local-fixture.ts";

const host = join(import.meta.dirname, "../../../infra/local/host");

/** Starts a process that does nothing, does to it what is told, says its id and waits to be killed. */
const parent = (act: string): string => `
  import { spawn } from "node:child_process";
  import { endWithThisProcess } from ${JSON.stringify(join(host, "end-with-this-process.ts"))};
  import { openProcessRegister } from ${JSON.stringify(join(host, "process-register.ts"))};
  const idle = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  ${act}
  console.log(idle.pid);
  setInterval(() => {}, 1000);`;

/** Runs a parent until its child is there, and kills it. @returns the id of the child */
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

test("what a killed run left behind is ended by the next", async () => {
  const directory = temporaryDirectory();
  const left = await killedParentOf(`openProcessRegister(${JSON.stringify(directory)}).add(idle.pid);`);
  const before = isAlive(left);

  openProcessRegister(directory);

  expect(before).toBe(true);
  expect(await gone(left)).toBe(true);
});

test("a process that has got the id of what was left behind is let alone", async () => {
  const directory = temporaryDirectory();
  const other = await killedParentOf(`openProcessRegister(${JSON.stringify(directory)}).add(idle.pid);`);
  const path = join(directory, "pids.json");
  writeFileSync(path, readFileSync(path, "utf8").replaceAll("--eval", "--print"));

  openProcessRegister(directory);

  expect(readFileSync(path, "utf8")).not.toContain(String(other));
  expect(isAlive(other)).toBe(true);
});

test("a process that is to end with another one does, though that one was killed", async () => {
  const left = await killedParentOf("endWithThisProcess(idle.pid);");

  expect(await gone(left)).toBe(true);
});

test("who has its id once it has ended by itself is not ended", async () => {
  const other = await killedParentOf("endWithThisProcess(idle.pid)();");

  await wait(500);

  expect(isAlive(other)).toBe(true);
});
