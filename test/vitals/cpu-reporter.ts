import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { repository } from "../../infra/local/repository.ts";
import { usedCpu } from "../support/vitest/used-cpu.ts";

/** What a file or the files of a folder took. */
interface Row {
  readonly name: string;
  readonly tests: number;
  readonly seconds: number;
}

/** Number of files that are listed by themselves. */
const dearest = 20;

/** Seconds below which folders share a row. */
const minSeconds = 1;

const table = (title: string, rows: readonly Row[]): string =>
  [
    `| ${title} | tests | CPU seconds |`,
    "|---|---|---|",
    ...rows.map(({ name, tests, seconds }) => `| ${name} | ${tests} | ${seconds.toFixed(1)} |`),
  ].join("\n");

const byCost = (rows: readonly Row[]): readonly Row[] => rows.toSorted((a, b) => b.seconds - a.seconds);

const total = (name: string, rows: readonly Row[]): Row => ({
  name,
  tests: rows.reduce((sum, { tests }) => sum + tests, 0),
  seconds: rows.reduce((sum, { seconds }) => sum + seconds, 0),
});

/** Kind and wing of a file, `api/runs`, or its place among the slow tests: `api/slow/console`. */
const folderOf = (file: string): string => {
  const folders = file.split("/").slice(1, -1);
  return folders.slice(0, folders[1] === "slow" ? 3 : 2).join("/");
};

/** Prints CPU seconds by folder, and the dearest files: of a run of one file at a time. */
export default class CpuReporter implements Reporter {
  readonly #files: Row[] = [];
  #before = 0;

  onInit(): void {
    this.#before = usedCpu();
  }

  onTestModuleEnd(module: TestModule): void {
    const now = usedCpu();
    const file = relative(repository, module.moduleId);
    this.#files.push({ name: file, tests: [...module.children.allTests()].length, seconds: now - this.#before });
    this.#before = now;
    for (const test of module.children.allTests("failed"))
      console.log(`failed: ${file}: ${test.fullName}: ${test.result().errors?.[0]?.message ?? ""}`);
  }

  onTestRunEnd(): void {
    const folders = Object.entries(Object.groupBy(this.#files, ({ name }) => folderOf(name))).map(
      ([name, files = []]) => total(`\`${name}\``, files),
    );
    const [dear, cheap] = [
      folders.filter(({ seconds }) => seconds >= minSeconds),
      folders.filter(({ seconds }) => seconds < minSeconds),
    ];
    const quick = total(
      "`npm test`",
      this.#files.filter(({ name }) => !name.includes("/slow/")),
    );
    const rows = [quick, total("all", this.#files), ...byCost([...dear, total("others", cheap)])];
    const files = byCost(this.#files).slice(0, dearest);
    console.log(`\n${table("folder", rows)}\n\n${table("file", files)}`);
  }
}
