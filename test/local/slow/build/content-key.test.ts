import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type BuildSources, contentKey } from "../../../../infra/local/build/content-key.ts";
import { temporaryDirectory } from "../../../support/service/local-fixture.ts";

interface Scene {
  readonly root: string;
  write(path: string, text: string): void;
  key(facts?: Readonly<Record<string, unknown>>): string;
}

const newScene = (): Scene => {
  const root = temporaryDirectory();
  const sources: BuildSources = { root, folders: ["lib", "infra"], except: ["infra/local"], files: ["lock", "absent"] };
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("lib/a.ts", "one");
  write("lib/deep/b.ts", "two");
  write("infra/app.ts", "app");
  write("infra/local/start.ts", "start");
  write("lock", "{}");
  return { root, write, key: (facts = {}) => contentKey(sources, facts) };
};

test("the key is the same for the same content, at any modification time", () => {
  const { root, write, key } = newScene();
  const before = key();

  write("lib/a.ts", "one");
  utimesSync(join(root, "lib/deep/b.ts"), 1, 1);
  write("infra/local/start.ts", "changed");
  write("README.md", "changed");

  expect(key()).toBe(before);
  expect(before).toMatch(/^[0-9a-f]{64}$/);
});

test.each<[string, (scene: Scene) => void]>([
  ["a file changes", ({ write }) => write("lib/deep/b.ts", "twO")],
  ["a file is new", ({ write }) => write("lib/c.ts", "")],
  ["a file is gone", ({ root }) => rmSync(join(root, "lib/a.ts"))],
  ["a file has another name", ({ root }) => renameSync(join(root, "lib/a.ts"), join(root, "lib/z.ts"))],
  ["a single file changes", ({ write }) => write("lock", "[]")],
  ["a single file appears", ({ write }) => write("absent", "")],
  ["bytes move from one file to the next", ({ write }) => (write("lib/a.ts", "onet"), write("lib/deep/b.ts", "wo"))],
])("the key differs when %s", (_, change) => {
  const scene = newScene();
  const before = scene.key();

  change(scene);

  expect(scene.key()).not.toBe(before);
});

test("the key differs for other facts", () => {
  const { key } = newScene();

  const keys = [key(), key({ limitFactor: 1 }), key({ limitFactor: 2 }), key({ judgeModel: "1" })];

  expect(new Set(keys).size).toBe(keys.length);
});
