import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openBuildCache } from "../../../infra/local/build/build-cache.ts";
import { temporaryDirectory } from "../../support/service/local-fixture.ts";

const module = join(import.meta.dirname, "../../../infra/local/build/build-cache.ts");

/** Notes that it builds, builds one file slowly, and says what it found at its output. */
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

const startBuilder = (...given: readonly string[]) => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", builder, ...given], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  return { child, ended: once(child, "close").then(() => said) };
};

/** A cache and what fills its directories: one file with the text it is given. */
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
  const found = (at = output): string => readFileSync(join(at, "below", "file"), "utf8");
  return { root, directory, cache, output, built, provide, found };
};

test("what was built is not built again, and takes the place of what was there", async () => {
  const { built, provide, found, output } = scene();

  await provide("one");
  writeFileSync(join(output, "stray"), "");
  await provide("two");
  await provide("one");

  expect(built).toEqual(["one", "two"]);
  expect(found()).toBe("one");
  expect(existsSync(join(output, "stray"))).toBe(false);
});

test("what is at the output already stays as it is; what is not whole is put there again", async () => {
  const { built, provide, found, output } = scene();
  await provide("key");
  writeFileSync(join(output, "stray"), "");

  await provide("key");
  const kept = existsSync(join(output, "stray"));
  rmSync(join(output, "below", "file"));
  await provide("key");

  expect(kept).toBe(true);
  expect(found()).toBe("key");
  expect(built).toEqual(["key"]);
});

test("processes that want the same at once build it once", async () => {
  const { root, directory } = scene();
  const notes = join(root, "notes");

  const said = await Promise.all(
    ["a", "b", "c"].map((name) => startBuilder(directory, join(root, name), notes, "300").ended),
  );

  expect(said.map((text) => text.replace("building\n", ""))).toEqual(["content\n", "content\n", "content\n"]);
  expect(readFileSync(notes, "utf8")).toBe("built ");
});

test("what is built in a moment does not wait for what takes long", async () => {
  const { root, directory, provide, found } = scene();
  const long = startBuilder(directory, join(root, "long"), join(root, "notes"), "60000");
  await once(long.child.stdout, "data");

  await provide("key");
  const isLongUnderWay = long.child.exitCode === null;
  long.child.kill("SIGKILL");
  await long.ended;

  expect(found()).toBe("key");
  expect(isLongUnderWay).toBe(true);
});

test("what a killed process had half built is not believed, and is gone after the next build", async () => {
  const { root, directory } = scene();
  const [notes, output] = [join(root, "notes"), join(root, "output")];
  const first = startBuilder(directory, output, notes, "60000");
  await once(first.child.stdout, "data");
  first.child.kill("SIGKILL");
  await first.ended;
  expect(existsSync(output)).toBe(false);

  const said = await startBuilder(directory, output, notes, "0").ended;

  expect(said).toBe("building\ncontent\n");
  expect(readdirSync(join(directory, "slow")).toSorted()).toEqual(["key", "lock"]);
});

test("a build that fails says so and leaves nothing to believe", async () => {
  const { cache, provide, found, output } = scene();
  const make = async (into: string): Promise<void> => {
    writeFileSync(join(into, "half"), "");
    throw new Error("It does not build.");
  };
  const failing = cache.provide({ name: "file", key: () => "key", make }, output);
  await expect(failing).rejects.toThrow("It does not build.");

  await provide("key");

  expect(found()).toBe("key");
});

test("what was built while its sources changed is built again", async () => {
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

test("the builds not used for longest go, under those who use them nothing changes", async () => {
  const { root, built, provide, found } = scene();
  const using = join(root, "using");
  await provide("first", using);
  for (let number = 0; number < 12; number += 1) {
    await provide(`later-${number}`);
    await provide("often");
  }
  const used = found(using);

  await provide("first");

  expect(built.filter((key) => key === "often")).toHaveLength(1);
  expect(built.filter((key) => key === "first")).toHaveLength(2);
  expect(used).toBe("first");
});
