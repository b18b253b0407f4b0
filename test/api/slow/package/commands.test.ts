import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createDataset } from "../../../../lib/contract/datasets/datasets.ts";
import { approveExperiment } from "../../../../lib/contract/experiments/approval.ts";
import { getExperiment } from "../../../../lib/contract/experiments/experiments.ts";
import { createTrace, listTraces } from "../../../../lib/contract/traces/traces.ts";
import { experimentsByName, sendExperiment } from "../../../support/experiments.ts";
import { commandLine, installPackage, type InstalledPackage } from "../../../support/package/installed-package.ts";
import { newProject } from "../../../support/service/client.ts";
import { eventually } from "../../../support/service/local-fixture.ts";

const service = inject("service");
let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installPackage();
});
afterAll(() => installed.remove());

const variablesOf = (project: ReturnType<typeof newProject>) => ({
  ASSAY_URL: service.baseUrl,
  ASSAY_API_KEY: service.tenant.apiKey,
  ASSAY_PROJECT: String(project.headers["X-Project-Name"]),
});

const traceOf = (name: string, fields: object = {}) => ({ name, started_at: new Date().toISOString(), ...fields });

test.each([
  [
    "without an address",
    {},
    /^There is no address of a service: set ASSAY_URL, or run `assay login --url https:\/\/\.\.\.`\.\n$/u,
  ],
  [
    "without network",
    { ASSAY_URL: "http://127.0.0.1:9", ASSAY_API_KEY: "k" },
    /^http:\/\/127\.0\.0\.1:9 could not be reached \(.+\)\.\n$/u,
  ],
  [
    "with a wrong key",
    { ASSAY_URL: service.baseUrl, ASSAY_API_KEY: "sk_as_secret" },
    /^The service refused the request: Invalid or revoked API key\. \(401, unauthenticated, request [\w-]{36}\)\n$/u,
  ],
])(
  "%s each command that calls the service says so in one sentence, and nothing of the key",
  async (_, variables, sentence) => {
    for (const args of [
      ["api", "traces", "list"],
      ["tail"],
      ["gate", "--json", '{"candidate": "x"}', "--rule", "a:min_mean=1"],
    ])
      expect(await installed.assay(args, variables)).toEqual({
        code: 2,
        stdout: "",
        stderr: expect.stringMatching(sentence),
      });
  },
);

test.each([
  [["dctor"], "There is no command dctor; did you mean doctor?"],
  [["api", "trace", "list"], "There is no resource trace; did you mean traces?"],
  [["api", "traces", "lst"], "There is no action lst of traces; did you mean list?"],
  [["api", "traces", "list", "--nme", "x"], "There is no flag --nme; did you mean --name?"],
  [["api", "traces", "get"], "get takes TRACE_ID."],
  [["api", "traces", "list", "foo"], "list takes no argument, not foo."],
  [["tail", "foo"], "tail does not take the argument foo."],
  [["skill", "a", "b"], "skill does not take the argument b."],
  [["api", "traces", "create", "--json", "@none.json"], "--json @none.json could not be read (ENOENT)."],
  [
    ["api", "traces", "create", "--json", "{"],
    "--json is not JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2)",
  ],
  [["api", "traces", "list", "--metadata", "tier"], "--metadata must be KEY=VALUE."],
  [["gate"], "A gate needs --experiment NAME, or --json BODY with a candidate."],
  [
    ["gate", "--json", '{"candidate": "x"}', "--rule", "drop"],
    "--rule must be like task_completion:max_drop=0.05 or max_cost_increase=0.2, not drop.",
  ],
  [
    ["gate", "--experiment", "late", "--rule", "max_drop=1"],
    "--rule must be like task_completion:max_drop=0.05 or max_cost_increase=0.2, not max_drop=1.",
  ],
  [["gate", "--experiment", "late", "--on-cannot-tell", "ok"], "--on-cannot-tell must be pass or fail, not ok."],
  [
    ["api", "traces", "list", "--url", "http://me:secret@127.0.0.1:9"],
    "The address of the service must not have a password.",
  ],
])("%j is refused in one sentence", async (args, sentence) => {
  const variables = { ASSAY_URL: service.baseUrl, ASSAY_API_KEY: "k" };

  expect(await installed.assay(args, variables)).toEqual({ code: 2, stdout: "", stderr: `${sentence}\n` });
});

test.each([
  ["ASSAY_API_KEY", "sk_as_one\nsk_as_two", "key"],
  ["ASSAY_API_KEY", "sk_as_\u0416", "key"],
  ["ASSAY_TOKEN", "secret\ntoken", "token"],
  ["ASSAY_PROJECT", "a\nb", "header"],
])("%s with the value %j is refused without being shown", async (name, value, kind) => {
  const variables = { ASSAY_URL: service.baseUrl, ASSAY_API_KEY: "k", [name]: value };
  const stderr = `${name} has a character that no ${kind} has.\n`;

  for (const args of [["doctor"], ["api", "traces", "list"]])
    expect(await installed.assay(args, variables)).toEqual({ code: 2, stdout: "", stderr });
});

test("what the service misses is named as the command line sets it", async () => {
  const [url, key] = [{ ASSAY_URL: service.baseUrl }, { ASSAY_API_KEY: service.tenant.apiKey }];
  const sentence = async (resource: string, variables: Readonly<Record<string, string>>) =>
    (await installed.assay(["api", resource, "list"], { ...url, ...variables })).stderr;

  expect(await sentence("traces", {})).toMatch(/\) Set ASSAY_API_KEY, or run `assay login`\.\n$/u);
  expect(await sentence("traces", key)).toMatch(/\) Set ASSAY_PROJECT to the project's name\.\n$/u);
  expect(await sentence("organizations", key)).toMatch(/\) It takes no key: set ASSAY_TOKEN\.\n$/u);
  expect(await sentence("traces", { ASSAY_TOKEN: service.tenant.bearerToken })).toMatch(
    /\) Set ASSAY_PROJECT to the project's id/u,
  );
});

test.runIf(existsSync("/dev/full"))("a result that cannot be written is trouble, a closed pipe is not", async () => {
  const shell = (rest: string) =>
    new Promise((resolve) => {
      const command = `"${process.execPath}" ${commandLine} api service get-open-api ${rest}`;
      const env = { ASSAY_URL: service.baseUrl, PATH: process.env["PATH"] };
      execFile("bash", ["--norc", "-c", command], { cwd: installed.folder, env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    });

  expect(await shell("> /dev/full")).toEqual({
    code: 2,
    stdout: "",
    stderr: "The result could not be written (ENOSPC).\n",
  });
  expect(await shell("| head -c 1; exit ${PIPESTATUS[0]}")).toEqual({ code: 0, stdout: "{", stderr: "" });
});

test("a sign-in at a service that cannot be reached prints no address of a page", async () => {
  const { code, stderr } = await installed.assay(["login", "--no-browser", "--url", "http://127.0.0.1:9"]);

  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:9 could not be reached \(.+\)\.\n$/u),
  ]);
});

test("an operation takes its path, query and body from arguments, and in a pipe its pages are lines of JSON", async () => {
  const project = newProject(service);
  const variables = variablesOf(project);
  const [file, names] = [join(installed.folder, "trace.json"), ["a", "b", "c"]];
  for (const name of names) {
    writeFileSync(file, JSON.stringify(traceOf(name, { tags: ["x", name] })));
    expect(await installed.assay(["api", "traces", "create", "--json", "@trace.json"], variables)).toMatchObject({
      code: 0,
    });
  }

  const all = await installed.assay(["api", "traces", "list", "--all", "--limit", "2"], variables);
  const some = await installed.assay(
    ["api", "traces", "listTraces", "--tags", "a", "--tags", "c", "--no-has-error"],
    variables,
  );
  const items = all.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { trace_id: string; name: string });
  const path = await installed.assay(["api", "traces", "get", items[0]?.trace_id ?? ""], variables);

  expect(items.map(({ name }) => name).toSorted()).toEqual(names);
  expect(JSON.parse(some.stdout)).toMatchObject({ total: 2, items: [{ name: "c" }, { name: "a" }] });
  expect(JSON.parse(path.stdout)).toMatchObject({ trace_id: items[0]?.trace_id, name: items[0]?.name, spans: [] });
});

test("the help of an operation has its description, its flags and the fields of its body", async () => {
  const { code, stdout } = await installed.assay(["api", "runs", "create-trace", "--help"]);

  expect(code).toBe(0);
  expect(stdout).toMatch(/^Usage: assay api runs create-trace --json BODY \[flags\]\n\nEvaluate traces by filters\. /u);
  expect(stdout).toMatch(/ {2}--dry-run +True to return an estimate/u);
  expect(stdout).toMatch(/ {2}metrics +string\[\], required\. Names of the metrics/u);
});

test("the doctor finds everything in order and leaves no trace, and names what is wrong", async () => {
  const project = newProject(service);
  const variables = variablesOf(project);

  const healthy = await installed.assay(["doctor"], variables);
  const ill = await installed.assay(["doctor"], { ...variables, ASSAY_API_KEY: "sk_as_wrong" });

  const resultsOf = ({ stdout }: { readonly stdout: string }) =>
    (JSON.parse(stdout) as { result: string }[]).map(({ result }) => result);
  expect([healthy.code, resultsOf(healthy)]).toEqual([0, ["ok", "ok", "ok", "ok", "ok"]]);
  expect(healthy.stdout).toContain("did not exist before: the first request creates it");
  expect((await project.page(listTraces)).items).toEqual([]);
  expect([ill.code, resultsOf(ill)]).toEqual([1, ["ok", "ok", "FAILED", "skipped", "skipped"]]);
  expect(ill.stdout + ill.stderr).not.toContain("sk_as_wrong");
});

test("the tail shows traces that come after its start, of each read the failed ones first", async () => {
  const project = newProject(service);
  await project.answer(createTrace, { body: traceOf("earlier") });
  await eventually(async () => (await project.page(listTraces)).items.length === 1 || undefined);
  const tail = spawn(process.execPath, [commandLine, "tail", "--seconds", "8"], {
    cwd: installed.folder,
    env: variablesOf(project),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = text(tail.stdout);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  for (const [name, status] of [
    ["good", "COMPLETED"],
    ["bad", "ERROR"],
    ["fine", "COMPLETED"],
  ])
    await project.answer(createTrace, { body: traceOf(name ?? "", { status, ended_at: new Date().toISOString() }) });

  const lines = (await output)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { name: string });
  const names = lines.map(({ name }) => name);

  expect(names.toSorted()).toEqual(["bad", "fine", "good"]);
  expect(names.indexOf("bad")).toBeLessThan(names.indexOf("fine"));
});

test("the gate's exit code says pass, fail, cannot tell or trouble, and its comment is for a pull request", async () => {
  const project = newProject(service);
  const { id: dataset_id } = await project.answer(createDataset, { body: { name: "refunds" } });
  const send = (name: string, count: number, latency = 100) =>
    sendExperiment(
      project,
      { "assay.experiment": name, "assay.dataset": "refunds", "input.value": "Is it open?", "output.value": "Yes." },
      Array.from({ length: count }, (_, at) => `item ${at}`),
      { latency },
    );
  await send("before", 60);
  const before = (await experimentsByName(project, 1)).get("before")?.id ?? "";
  const params = { experiment_id: before };
  await eventually(async () => (await project.answer(getExperiment, { params })).trace_count === 60 || undefined);
  const gate = (name: string, ...flags: readonly string[]) => {
    const comparison = [
      "--experiment",
      name,
      "--baseline",
      "approved",
      "--judge",
      "task_completion",
      "--markdown",
      "gate.md",
    ];
    return installed.assay(
      [
        "gate",
        ...comparison,
        "--rule",
        "task_completion:max_drop=0.05",
        "--rule",
        "max_latency_increase=0.2",
        ...flags,
      ],
      variablesOf(project),
    );
  };
  const comment = () => readFileSync(join(installed.folder, "gate.md"), "utf8");

  const refused = await gate("before");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("has no approved experiment") });
  expect(comment()).toBe(`The gate was not evaluated: ${refused.stderr}`);
  await project.answer(approveExperiment, { params: { dataset_id }, body: { experiment_id: before } });

  await send("same", 60);
  expect(await gate("same")).toMatchObject({ code: 0, stdout: expect.stringContaining('"status": "pass"') });
  expect(comment()).toContain("### The gate passed");
  await send("worse", 60, 1_000);
  expect(await gate("worse")).toMatchObject({ code: 1, stdout: expect.stringContaining('"status": "fail"') });
  await send("few", 10);
  expect(await gate("few")).toMatchObject({ code: 3 });
  expect(await gate("few", "--on-cannot-tell", "pass")).toMatchObject({ code: 0 });

  const begin = Date.now();
  const waiting = ["gate", "--experiment", "same", "--rule", "helpfulness:min_mean=0.5", "--timeout", "8"];
  const running = await installed.assay(waiting, variablesOf(project));
  expect(running).toMatchObject({ code: 3, stdout: expect.stringContaining('"status": "running"') });
  expect(Date.now() - begin).toBeLessThan(20_000);
});

test("the skill is written once, a file that somebody has changed only by force", async () => {
  const [source, target] = ["node_modules/assay/skill", ".agents/skills/assay"].map((name) =>
    join(installed.folder, name),
  );
  const skill = readFileSync(join(source ?? "", "SKILL.md"), "utf8");
  const read = (name: string) => readFileSync(join(target ?? "", name), "utf8");

  expect(await installed.assay(["skill"])).toMatchObject({ code: 0 });
  expect([read("SKILL.md"), read("references/triage.md").length > 0]).toEqual([skill, true]);
  writeFileSync(join(target ?? "", "SKILL.md"), "changed");
  expect(await installed.assay(["skill"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("SKILL.md differs"),
  });
  expect(read("SKILL.md")).toBe("changed");
  expect(await installed.assay(["skill", "--force"])).toMatchObject({ code: 0 });
  expect([read("SKILL.md"), existsSync(join(installed.folder, ".claude"))]).toEqual([skill, false]);
});
