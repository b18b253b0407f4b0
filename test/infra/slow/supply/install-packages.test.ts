import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../synthesize.ts";

const repository = join(import.meta.dirname, "../../../..");

/** Stands for npm, and installs a command line that prints its arguments. */
const npm = `#!/bin/sh
mkdir -p "$3/node_modules/aws-cdk/bin"
echo 'console.log(...process.argv.slice(2));' > "$3/node_modules/aws-cdk/bin/cdk"
echo {} > "$3/node_modules/.package-lock.json"
echo "$@" >> "$3/calls"
`;

test("the command cdk passes its arguments on, and installs the CDK again only after its lock was changed", () => {
  const copy = temporaryDirectory();
  const cli = join(copy, "infra/deploy/cdk/cli");
  mkdirSync(cli, { recursive: true });
  mkdirSync(join(copy, "infra/supply"));
  mkdirSync(join(copy, "bin"));
  for (const file of [
    "package.json",
    "infra/require-node.mjs",
    "infra/supply/install-packages.ts",
    "infra/deploy/cdk/cdk.mjs",
    "infra/deploy/cdk/install-cdk.ts",
    "infra/deploy/cdk/cli/package-lock.json",
  ])
    writeFileSync(join(copy, file), readFileSync(join(repository, file)));
  writeFileSync(join(copy, "bin/npm"), npm, { mode: 0o755 });
  const cdk = () =>
    spawnSync(process.execPath, ["infra/deploy/cdk/cdk.mjs", "diff", "-c", "stage=prod"], {
      cwd: copy,
      env: { ...process.env, PATH: `${join(copy, "bin")}:${process.env["PATH"]}` },
      encoding: "utf8",
    });
  const calls = (): string[] => readFileSync(join(cli, "calls"), "utf8").trim().split("\n");

  expect([cdk(), cdk()].map(({ stdout }) => stdout)).toEqual(["diff -c stage=prod\n", "diff -c stage=prod\n"]);
  expect(calls()).toEqual([expect.stringMatching(/^ci --prefix .*cdk\/cli --ignore-scripts/u)]);
  const later = new Date(Date.now() + 60_000);
  utimesSync(join(cli, "package-lock.json"), later, later);
  expect(cdk().status).toBe(0);
  expect(calls()).toHaveLength(2);
});

test("processes that need the same packages at once install them once, and all go on when they are there", async () => {
  const folder = temporaryDirectory();
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "package-lock.json"), "{}");
  writeFileSync(join(folder, "bin/npm"), npm.replace("\n", "\nsleep 0.5\n"), { mode: 0o755 });
  const source = join(repository, "infra/supply/install-packages.ts");
  const program = `import { installPackages } from ${JSON.stringify(source)}; installPackages(${JSON.stringify(folder)});`;
  const env = { ...process.env, PATH: `${join(folder, "bin")}:${process.env["PATH"]}` };

  const codes = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", program], { env, stdio: "ignore" });
      const [code] = await once(child, "exit");
      return code;
    }),
  );

  expect(codes).toEqual([0, 0, 0]);
  expect(readFileSync(join(folder, "calls"), "utf8").trim().split("\n")).toHaveLength(1);
});
