import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Says its own id, and ends when its parent does. */
const child = `
  import { whenOrphaned } from ${JSON.stringify(join(root, "infra/local/host/when-orphaned.ts"))};
  whenOrphaned(() => { console.log("orphaned"); clearInterval(alive); });
  const alive = setInterval(() => {}, 1000);
  console.log("ready");`;

test("a signal for npm reaches the service: no shell is left between the two", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Readonly<Record<string, string>>;
  };

  expect(scripts["start"]).toBe("exec node infra/local/start.ts");
});

test("what a killed process started notices that it is alone", async () => {
  const parent = spawn("sh", ["-c", '"$0" --input-type=module --eval "$1"; true', process.execPath, child]);
  const lines: string[] = [];
  parent.stdout.setEncoding("utf8").on("data", (text: string) => lines.push(...text.trim().split("\n")));
  await once(parent.stdout, "data");

  parent.kill("SIGKILL");
  await once(parent.stdout, "close");

  expect(lines).toEqual(["ready", "orphaned"]);
});
