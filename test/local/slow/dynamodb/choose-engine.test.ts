import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { chooseEngine } from "../../../../infra/local/dynamodb/choose-engine.ts";
import { runDatabase } from "../../../../infra/local/dynamodb/database-process.ts";
import { dynamoDbLocal } from "../../../../infra/local/dynamodb/dynamodb-local.ts";
import { dynoxide } from "../../../../infra/local/dynamodb/dynoxide.ts";
import { dynoxideProgram } from "../../../../infra/local/dynamodb/dynoxide-program.ts";
import { openProcessRegister } from "../../../../infra/local/host/process-register.ts";
import { installPackages } from "../../../../infra/supply/install-packages.ts";
import { temporaryDirectory } from "../../../support/service/local-fixture.ts";
import { compileCache } from "../../../support/vitest/compile-cache.ts";

const program = join(import.meta.dirname, "../../../../infra/local/start.ts");

/** Runs the local service with a PATH of one folder, as `npm start` does. */
const start = async (environment: Readonly<Record<string, string>>) => {
  const started = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program], {
    env: { PORT: "0", ...compileCache, ...environment },
  });
  const [printed, errorText, [code]] = await Promise.all([
    text(started.stdout),
    text(started.stderr),
    once(started, "close"),
  ]);
  return { printed, errorText, code: Number(code) };
};

test("dynoxide is used on the platform of its program, DynamoDB Local elsewhere", () => {
  expect(chooseEngine(undefined, "linux-x64")).toBe(dynoxide);
  expect(chooseEngine("", "linux-x64")).toBe(dynoxide);
  expect(chooseEngine(undefined, "linux-arm64")).toBe(dynamoDbLocal);
  expect(dynoxideProgram("darwin-arm64")).toBeUndefined();
});

test("a program that was changed after its installation is refused, and so is one of a platform without a sum", () => {
  const directory = temporaryDirectory();
  const path = join(directory, "dynoxide");
  const program = () => dynoxideProgram("linux-x64", () => join(directory, "package.json"));

  expect(program()).toBeUndefined();
  writeFileSync(path, "another program");
  expect(program).toThrow(`${path} is not the program that package-lock.json names, by its SHA-256: run npm ci.`);
  expect(dynoxideProgram("linux-arm64", () => join(directory, "package.json"))).toBeUndefined();
});

test("an environment variable selects either engine on any machine, and no other", () => {
  expect(chooseEngine("local", "linux-x64")).toBe(dynamoDbLocal);
  expect(chooseEngine("dynoxide", "darwin-arm64")).toBe(dynoxide);
  expect(() => chooseEngine("sqlite")).toThrow("DYNAMODB must be dynoxide or local, not sqlite.");
});

test("each engine has its own data directory", () => {
  expect(dynoxide.dataDirectory("/data")).toBe("/data");
  expect(dynamoDbLocal.dataDirectory("/data")).toBe(join("/data", "dynamodb-local"));
});

test("an unknown engine is refused with the valid names", async () => {
  const { errorText, code } = await start({ DYNAMODB: "sqlite", ASSAY_LOCAL_DIR: temporaryDirectory() });

  expect(errorText).toBe("DYNAMODB must be dynoxide or local, not sqlite.\n");
  expect(code).toBe(1);
});

test("a program that cannot run is reported with the reason", async () => {
  const directory = temporaryDirectory();
  const command = join(directory, "program");
  writeFileSync(command, "not executable");

  const database = runDatabase(openProcessRegister(directory), {
    command,
    parameters: () => [],
    endsWithInput: true,
    describeFailure: (reason) => `The program did not start. ${reason}`,
  });

  await expect(database).rejects.toThrow(`The program did not start. spawn ${command} EACCES`);
});

test("packages that cannot be installed are reported with the command that installs them", () => {
  vi.stubEnv("PATH", temporaryDirectory());
  onTestFinished(() => void vi.unstubAllEnvs());
  const folder = temporaryDirectory();

  expect(() => installPackages(folder)).toThrow(/^The packages of \S+ are missing\. Run: npm ci --prefix \S+$/u);
});

test("a missing Java is reported with the version to install", async () => {
  const directory = temporaryDirectory();

  const { printed, errorText, code } = await start({ DYNAMODB: "local", ASSAY_LOCAL_DIR: directory, PATH: directory });

  expect(errorText).toBe(
    "The local DynamoDB needs Java 17 or newer and java does not run: " +
      "install a Java runtime, for example from https://adoptium.net, or set JAVA_HOME.\n",
  );
  expect(printed).toMatch(/^Assay [^\n]*\n$/u);
  expect(code).toBe(1);
});

test.each([
  ['openjdk version "11.0.22" 2024-01-16', "11"],
  ['java version "1.8.0_392"', "8"],
])("a too old Java is reported with its version: %s", async (version, shownVersion) => {
  const directory = temporaryDirectory();
  const java = join(directory, "java");
  writeFileSync(java, `#!/bin/sh\necho '${version}' >&2\n[ "$1" = -version ]\n`);
  chmodSync(java, 0o755);

  const { errorText, code } = await start({ DYNAMODB: "local", ASSAY_LOCAL_DIR: directory, PATH: directory });

  expect(errorText).toContain(`needs Java 17 or newer and java is Java ${shownVersion}: install a Java runtime`);
  expect(code).toBe(1);
});
