import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dynamoDbLocal } from "../../../infra/local/dynamodb/dynamodb-local.ts";
import { repository } from "../../../infra/local/repository.ts";
import { engine } from "../../support/database/engine.ts";
import { runLocalCommand } from "../../support/service/local-command.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { sharedBuilds } from "../../support/service/shared-builds.ts";

/** Source of a process that prints its own id, and ends when its parent does. */
const child = `
  import { whenOrphaned } from ${JSON.stringify(join(repository, "infra/local/host/when-orphaned.ts"))};
  whenOrphaned(() => { console.log("orphaned"); clearInterval(alive); });
  const alive = setInterval(() => {}, 1000);
  console.log("ready");`;

/** The file of the credentials and that of the database, by engine. */
const dataFiles =
  engine === dynamoDbLocal
    ? ["dynamodb-local/credentials.json", "dynamodb-local/shared-local-instance.db"]
    : ["credentials.json", "dynamodb.sqlite"];

test("a signal for npm reaches the service: no shell is between the two", () => {
  const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    scripts: Readonly<Record<string, string>>;
  };

  expect(scripts["start"]).toBe(
    "exec env MALLOC_ARENA_MAX=2 node --max-semi-space-size=8 --import ./infra/require-node.mjs --disable-warning=ExperimentalWarning infra/local/start.ts",
  );
});

test("--help prints every flag and starts nothing", () => {
  const start = ["--disable-warning=ExperimentalWarning", join(repository, "infra/local/start.ts"), "--help"];
  const printed = execFileSync(process.execPath, start, { encoding: "utf8", timeout: 30_000 });

  expect(printed.match(/^ +--[a-z-]+/gmu)?.map((flag) => flag.trim())).toEqual([
    "--fresh",
    "--limit-factor",
    "--no-sign-in",
    "--settings",
  ]);
});

test("a child of a killed process notices that its parent is gone", async () => {
  const parent = spawn("sh", ["-c", '"$0" --input-type=module --eval "$1"; true', process.execPath, child]);
  const lines: string[] = [];
  parent.stdout.setEncoding("utf8").on("data", (text: string) => lines.push(...text.trim().split("\n")));
  await once(parent.stdout, "data");

  parent.kill("SIGKILL");
  await once(parent.stdout, "close");

  expect(lines).toEqual(["ready", "orphaned"]);
});

describe("the service on a data directory", () => {
  const directory = mkdtempSync(join(tmpdir(), "assay-start-"));
  let service: ChildProcess;

  /**
   * Starts the service as `npm start` does.
   * @returns its output up to the ready message
   */
  const start = async (): Promise<string> => {
    service = spawn(process.execPath, ["infra/local/start.ts"], {
      cwd: repository,
      env: { ...process.env, ASSAY_LOCAL_DIR: directory, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    service.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
    await eventually(() => {
      if (service.exitCode !== null) throw new Error(`It ended: ${output}`);
      return output.includes("Ctrl-C") ? output : undefined;
    });
    return output;
  };

  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (service.exitCode !== null || service.signalCode !== null) return;
    service.kill(signal);
    await once(service, "exit");
  };

  /** Traces of a project, requested as in the printed calls. */
  const traces = async (printed: string): Promise<{ readonly total: number }> => {
    const [, url = "", key = "", project = ""] =
      /curl -s '([^']+)' \\\n\s+-H 'X-API-Key: ([^']+)' -H 'X-Project-Name: ([^']+)'/.exec(printed) ?? [];
    const reply = await fetch(url, { headers: { "X-API-Key": key, "X-Project-Name": project } });
    return (await reply.json()) as { total: number };
  };

  const builds = join(directory, "builds");

  /** Names of the builds. What they consist of may be removed meanwhile by other tests, which share them. */
  const buildNames = (): readonly string[] =>
    readdirSync(builds)
      .flatMap((name) => readdirSync(join(builds, name)).map((key) => `${name}/${key}`))
      .toSorted();

  /** Links the shared builds from a separate directory, which only the service changes. */
  const separateBuilds = (): void => {
    rmSync(builds);
    for (const name of readdirSync(sharedBuilds)) {
      mkdirSync(join(builds, name), { recursive: true });
      for (const key of readdirSync(join(sharedBuilds, name)).filter((entry) => /^[0-9a-f]{64}$/.test(entry)))
        symlinkSync(join(sharedBuilds, name, key), join(builds, name, key));
    }
  };

  let first: string;
  beforeAll(async () => {
    mkdirSync(sharedBuilds, { recursive: true });
    symlinkSync(sharedBuilds, builds);
    // As a version wrote them that left them readable.
    mkdirSync(join(directory, "logs"), { mode: 0o755 });
    writeFileSync(join(directory, "logs", "runtime.log"), "", { mode: 0o644 });
    chmodSync(directory, 0o755);
    first = await start();
  });
  afterAll(async () => {
    await stop("SIGINT");
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });

  test("prints the build first", () => {
    expect(first.split("\n")[0]).toMatch(/^Assay \d+\.\d+\.\d+, commit (?:[0-9a-f]{40}(?:-dirty)?|unknown)$/u);
  });

  test("keeps its files from other users of the machine: data, credentials, logs and code", async () => {
    await traces(first);
    const paths = ["", ...readdirSync(directory, { recursive: true, encoding: "utf8" })];
    const modes = paths.flatMap((path) => {
      const status = lstatSync(join(directory, path));
      // Links into the builds of other tests have the modes that those gave them.
      const isShared = status.isSymbolicLink() || (status.isFile() && status.nlink > 1);
      return isShared ? [] : [[path, (status.mode & 0o777).toString(8), status.isDirectory() ? "700" : "600"] as const];
    });

    expect(modes.map(([path]) => path)).toEqual(
      expect.arrayContaining(["", "logs", "logs/runtime.log", ...dataFiles, "cdk.out"]),
    );
    expect(modes.filter(([path]) => path.startsWith("logs/")).length).toBeGreaterThan(1);
    expect(modes.filter(([, mode, expected]) => mode !== expected)).toEqual([]);
  });

  test("prints working calls, and the address of a documentation page", async () => {
    const docs = await fetch(/http\S+\/docs/.exec(first)?.[0] ?? "");

    expect(await traces(first)).toMatchObject({ total: 0 });
    expect([docs.status, docs.headers.get("content-type")]).toEqual([200, expect.stringMatching(/^text\/html/)]);
  });

  test("is found by the demo, whose traces are where the printed calls read", async () => {
    const demo = await runLocalCommand("demo/demo.ts", directory);

    expect(demo).toMatchObject({ status: 0 });
    expect(demo.stdout).toContain("Read the results:");
    expect(await traces(first)).toMatchObject({ total: 6 });
  });

  test("builds nothing when it is started again after a kill, and has all its data", async () => {
    await stop("SIGKILL");
    separateBuilds();
    const built = buildNames();

    const secondOutput = await start();

    expect(buildNames()).toEqual(built);
    expect(existsSync(join(directory, "handlers", "shared"))).toBe(true);
    expect(await traces(secondOutput)).toMatchObject({ total: 6 });
  });

  test("ends on Ctrl-C, and the demo starts it again on the same data for as long as it runs", async () => {
    await stop("SIGINT");
    const status = service.exitCode;

    const demo = await runLocalCommand("demo/demo.ts", directory);
    const secondOutput = await start();

    expect(status).toBe(0);
    expect(demo).toMatchObject({ status: 0 });
    expect(demo.stdout).toContain("Start the service on the same data with npm start");
    expect(await traces(secondOutput)).toMatchObject({ total: 12 });
    expect(existsSync(join(directory, "ready.json"))).toBe(true);
  });
});
