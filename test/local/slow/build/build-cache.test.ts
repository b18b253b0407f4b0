import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openBuildCache } from "../../../../infra/local/build/build-cache.ts";
import { temporaryDirectory } from "../../../support/service/local-fixture.ts";

const module = join(import.meta.dirname, "../../../../infra/local/build/build-cache.ts");

/** Source of a builder process that logs its build, writes one file slowly, and prints the file that was at its output. */
const builder = `
  import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
  import { openBuildCache } from ${JSON.stringify(module)};
  const [cache, output, notes, milliseconds] = process.argv.slice(1);
  const make = async (into) => {
    writeFileSync(into + "/half", "");
    appendFileSync(notes, "built ");
    console.log("building");
    await new Promise((built) => setTimeout(built, Number(milliseconds)));
    writeFileSync(into + "/whole", "content");
  };
  await openBuildCache(cache).provide({ name: "slow", key: () => "key", make }, output);
  console.log(readFileSync(output + "/whole", "utf8"));`;

const startBuilder = (...args: readonly string[]) => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", builder, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  return { child, ended: once(child, "close").then(() => output) };
};

/** A cache, and a function that fills its directories with one file of the given text. */
const scene = () => {
  const root = temporaryDirectory();
  const directory = join(root, "cache");
  const cache = openBuildCache(directory);
  const output = join(root, "output");
  const built: string[] = [];
  const provide = (key: string, to = output) =>
    cache.provide(
      {
        name: "file",
        key: () => key,
        make: async (into) => {
          built.push(key);
          mkdirSync(join(into, "below"));
          writeFileSync(join(into, "below", "file"), key);
        },
      },
      to,
    );
  const builtText = (at = output): string => readFileSync(join(at, "below", "file"), "utf8");
  return { root, directory, cache, output, built, provide, builtText };
};

test("a finished build is reused, and replaces the output directory", async () => {
  const { built, provide, builtText, output } = scene();

  await provide("one");
  writeFileSync(join(output, "stray"), "");
  await provide("two");
  await provide("one");

  expect(built).toEqual(["one", "two"]);
  expect(builtText()).toBe("one");
  expect(existsSync(join(output, "stray"))).toBe(false);
});

test("a complete output stays unchanged; an incomplete one is restored", async () => {
  const { built, provide, builtText, output } = scene();
  await provide("key");
  writeFileSync(join(output, "stray"), "");

  await provide("key");
  const isStrayKept = existsSync(join(output, "stray"));
  rmSync(join(output, "below", "file"));
  await provide("key");

  expect(isStrayKept).toBe(true);
  expect(builtText()).toBe("key");
  expect(built).toEqual(["key"]);
});

test("processes that build the same key concurrently build it once", async () => {
  const { root, directory } = scene();
  const notes = join(root, "notes");

  const outputs = await Promise.all(
    ["a", "b", "c"].map((name) => startBuilder(directory, join(root, name), notes, "300").ended),
  );

  expect(outputs.map((text) => text.replace("building\n", ""))).toEqual(["content\n", "content\n", "content\n"]);
  expect(readFileSync(notes, "utf8")).toBe("built ");
});

test("a quick build does not wait for a slow one", async () => {
  const { root, directory, provide, builtText } = scene();
  const long = startBuilder(directory, join(root, "long"), join(root, "notes"), "60000");
  await once(long.child.stdout, "data");

  await provide("key");
  const isLongUnderWay = long.child.exitCode === null;
  long.child.kill("SIGKILL");
  await long.ended;

  expect(builtText()).toBe("key");
  expect(isLongUnderWay).toBe(true);
});

test("a half-finished build of a killed process is not used, and is removed after the next build", async () => {
  const { root, directory } = scene();
  const [notes, output] = [join(root, "notes"), join(root, "output")];
  const first = startBuilder(directory, output, notes, "60000");
  await once(first.child.stdout, "data");
  first.child.kill("SIGKILL");
  await first.ended;
  expect(existsSync(output)).toBe(false);

  const builderOutput = await startBuilder(directory, output, notes, "0").ended;

  expect(builderOutput).toBe("building\ncontent\n");
  expect(readdirSync(join(directory, "slow")).toSorted()).toEqual(["key", "lock"]);
});

test("a failed build rejects and leaves no entry", async () => {
  const { cache, provide, builtText, output } = scene();
  const make = async (into: string): Promise<void> => {
    writeFileSync(join(into, "half"), "");
    throw new Error("It does not build.");
  };
  const failing = cache.provide({ name: "file", key: () => "key", make }, output);
  await expect(failing).rejects.toThrow("It does not build.");

  await provide("key");

  expect(builtText()).toBe("key");
});

test("a build whose sources changed meanwhile is repeated", async () => {
  const { cache, output } = scene();
  let source = "old";
  const make = async (into: string): Promise<void> => {
    const read = source;
    source = "new";
    writeFileSync(join(into, "file"), read);
  };
  const provideSource = () => cache.provide({ name: "file", key: () => source, make }, output);

  await provideSource();
  const first = readFileSync(join(output, "file"), "utf8");
  source = "old";
  await provideSource();

  expect(first).toBe("new");
  expect(source, "the old source is built when it is back: what was kept is not what it stands for").toBe("new");
});

test("the least recently used builds are removed, while builds in use stay unchanged", async () => {
  const { root, built, provide, builtText } = scene();
  const using = join(root, "using");
  await provide("first", using);
  for (let number = 0; number < 12; number += 1) {
    await provide(`later-${number}`);
    await provide("often");
  }
  const used = builtText(using);

  await provide("first");

  expect(built.filter((key) => key === "often")).toHaveLength(1);
  expect(built.filter((key) => key === "first")).toHaveLength(2);
  expect(used).toBe("first");
});
