/**
 * `npm run vitals`: figures to compare before and after a change, in less than two minutes. Requests and capacity units
 * are counted with the emulator, whose units follow DynamoDB's protocol; the idle bill is computed from the template
 * and AWS prices; CPU times depend on this machine. `-- --save` writes the tables to `docs/figures.md` and
 * `infra/reference.md`, `-- --check` fails if these are old. `-- tests` prints the CPU seconds of tests instead, `-- tests test/store` those of a folder; `--save`
 * writes them to `test/README.md`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repository } from "../../infra/local/repository.ts";
import { sampleTraces } from "../bench/sample-traces.ts";
import { startService } from "../support/service/service.ts";
import { lastTestRun } from "../support/vitest/last-run.ts";
import { bundleVitals } from "./bundle-vitals.ts";
import { countedEngine, type CountedRequest } from "./counted-engine.ts";
import { hotPathVitals } from "./hot-paths.ts";
import { idleSweep, requestVitals } from "./request-vitals.ts";
import { synthesizedStack, templateVitals } from "./template-vitals.ts";
import { trafficVitals } from "./traffic-vitals.ts";
import { testCpu } from "./test-cpu.ts";
import { oldRows } from "./compare.ts";
import { billTable, type Vital, vitalTable } from "./vital.ts";

interface Measured {
  readonly vitals: readonly Vital[];
  /** Traffic costs. */
  readonly bill: readonly Vital[];
}

const measure = async (): Promise<Measured> => {
  const requests: CountedRequest[] = [];
  const service = await startService({
    sharedThreads: false,
    engine: countedEngine((request) => requests.push(request)),
  });
  try {
    const stack = synthesizedStack(join(service.directory, "cdk.out"));
    const functions = [...stack.functions.values()].map((name) => service.stack.functions.definition(name));
    const sweeper = stack.functions.entries().find(([id]) => /Sweep/u.test(id))?.[1] ?? "";
    const sample = sampleTraces(undefined, 1);
    const vitals = [
      ...(await requestVitals(service, requests, sample)),
      ...(await hotPathVitals(service, requests)),
      ...bundleVitals(functions),
      ...templateVitals(stack, await idleSweep(service, requests, sweeper)),
    ];
    return { vitals, bill: await trafficVitals(service, requests, sample) };
  } finally {
    await service.close();
  }
};

/** Splits a page at the table of a name. @returns the text before it, the table, and the text behind it. */
const partsOf = (page: string, name: string): readonly [string, string, string] => {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const text = readFileSync(join(repository, page), "utf8");
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  if (from < begin.length || to < from) throw new Error(`${page} has no place for the ${name}.`);
  return [text.slice(0, from), text.slice(from, to), text.slice(to)];
};

const save = (page: string, name: string, table: string): void => {
  const [before, , behind] = partsOf(page, name);
  writeFileSync(join(repository, page), `${before}\n\n${table}\n\n${behind}`);
};

/** Share by which a bill may differ. */
const billTolerance = 0.15;

/** Prints the rows of a page that are old, and ends the command with 1 if there are any. */
const check = (page: string, name: string, table: string, tolerance?: number): void => {
  const old = oldRows(partsOf(page, name)[1], table, tolerance);
  for (const row of old) console.log(`${page}: ${row}`);
  if (old.length > 0) process.exitCode = 1;
};

const { values, positionals } = parseArgs({
  options: { save: { type: "boolean", default: false }, check: { type: "boolean", default: false } },
  allowPositionals: true,
});

const printVitals = async ({ save: isSaved, check: isChecked }: typeof values): Promise<void> => {
  const last = lastTestRun();
  const measured = await measure();
  const table = vitalTable([
    ...measured.vitals,
    {
      name: "the last `npm test`",
      figure:
        last === undefined
          ? "not run here"
          : `${last.seconds.toFixed(0)} s, ${last.passed} passed, ${last.failed} failed`,
    },
  ]);
  const bill = billTable(measured.bill);
  if (isChecked) {
    check("docs/figures.md", "vitals", table);
    // Three years of storage multiply what a batch more or less stores.
    check("infra/reference.md", "bill", bill, billTolerance);
    if (process.exitCode === 1) console.log("Write the tables anew: npm run vitals -- --save");
    return;
  }
  console.log(`${table}\n\n${bill}`);
  if (!isSaved) return;
  save("docs/figures.md", "vitals", table);
  save("infra/reference.md", "bill", bill);
};

const [subject, ...filters] = positionals;
if (subject === "tests") {
  const output = await testCpu(filters);
  console.log(output);
  const [table = ""] = /^\| folder [^]*?(?=\n\n)/mu.exec(output) ?? [];
  if (values.save && filters.length === 0) save("test/README.md", "seconds", table);
} else {
  await printVitals(values);
}
