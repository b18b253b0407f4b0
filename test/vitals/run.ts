/**
 * `npm run vitals`: figures to compare before and after a change, in less than two minutes. Requests and capacity units
 * are counted with the emulator, whose units follow DynamoDB's protocol; the idle bill is computed from the template
 * and AWS prices; CPU times depend on this machine. `-- --save` writes the tables to `docs/figures.md` and
 * `infra/reference.md`. `-- tests` prints the CPU seconds of tests instead, `-- tests test/store` those of a folder; `--save`
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

const save = (page: string, name: string, table: string): void => {
  const file = join(repository, page);
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const text = readFileSync(file, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} has no place for the ${name}.`);
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`);
};

const printVitals = async (isSaved: boolean): Promise<void> => {
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
  console.log(`${table}\n\n${bill}`);
  if (!isSaved) return;
  save("docs/figures.md", "vitals", table);
  save("infra/reference.md", "bill", bill);
};

const { values, positionals } = parseArgs({
  options: { save: { type: "boolean", default: false } },
  allowPositionals: true,
});
const [subject, ...filters] = positionals;
if (subject === "tests") {
  const output = await testCpu(filters);
  console.log(output);
  const [table = ""] = /^\| folder [^]*?(?=\n\n)/mu.exec(output) ?? [];
  if (values.save && filters.length === 0) save("test/README.md", "seconds", table);
} else {
  await printVitals(values.save);
}
