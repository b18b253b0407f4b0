import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { chooseEngine } from "../../../infra/local/dynamodb/choose-engine.ts";
import { dynamoDbLocal } from "../../../infra/local/dynamodb/dynamodb-local.ts";
import { dynoxide, dynoxideProgram } from "../../../infra/local/dynamodb/dynoxide.ts";
import { temporaryDirectory } from "../../support/service/local-fixture.ts";

const program = join(import.meta.dirname, "../../../infra/local/start.ts");

/** `npm start` with a path of one folder. */
const start = async (environment: Readonly<Record<string, string>>) => {
  const started = spawn(process.execPath, [program], { env: { PORT: "0", ...environment } });
  const [said, refused, [code]] = await Promise.all([
    text(started.stdout),
    text(started.stderr),
    once(started, "close"),
  ]);
  return { said, refused, code: Number(code) };
};

test("dynoxide is taken where its program is installed, DynamoDB Local elsewhere", () => {
  expect(chooseEngine(undefined, true)).toBe(dynoxide);
  expect(chooseEngine("", true)).toBe(dynoxide);
  expect(chooseEngine(undefined, false)).toBe(dynamoDbLocal);
  expect(dynoxideProgram("darwin-arm64")).toBeUndefined();
});

test("the shell can ask for either, wherever it is, and for nothing else", () => {
  expect(chooseEngine("local", true)).toBe(dynamoDbLocal);
  expect(chooseEngine("dynoxide", false)).toBe(dynoxide);
  expect(() => chooseEngine("sqlite")).toThrow("DYNAMODB must be dynoxide or local, not sqlite.");
});

test("what one engine has written is out of the other's way", () => {
  expect(dynoxide.dataDirectory("/data")).toBe("/data");
  expect(dynamoDbLocal.dataDirectory("/data")).toBe(join("/data", "dynamodb-local"));
});

test("a start that asks for no known engine says so", async () => {
  const { refused, code } = await start({ DYNAMODB: "sqlite", ASSAY_LOCAL_DIR: temporaryDirectory() });

  expect(refused).toBe("DYNAMODB must be dynoxide or local, not sqlite.\n");
  expect(code).toBe(1);
});

test("a start without Java says what to install", async () => {
  const directory = temporaryDirectory();

  const { said, refused, code } = await start({ DYNAMODB: "local", ASSAY_LOCAL_DIR: directory, PATH: directory });

  expect(refused).toBe(
    "The local DynamoDB needs Java 17 or newer and java does not run: " +
      "install a Java runtime, for example from https://adoptium.net, or name one with JAVA_HOME.\n",
  );
  expect([said, code]).toEqual(["", 1]);
});

test.each([
  ['openjdk version "11.0.22" 2024-01-16', "11"],
  ['java version "1.8.0_392"', "8"],
])("a start with too old a Java names it: %s", async (version, named) => {
  const directory = temporaryDirectory();
  const java = join(directory, "java");
  writeFileSync(java, `#!/bin/sh\necho '${version}' >&2\n[ "$1" = -version ]\n`);
  chmodSync(java, 0o755);

  const { refused, code } = await start({ DYNAMODB: "local", ASSAY_LOCAL_DIR: directory, PATH: directory });

  expect(refused).toContain(`needs Java 17 or newer and java is Java ${named}: install a Java runtime`);
  expect(code).toBe(1);
});
