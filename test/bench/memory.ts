/**
 * Measures the memory of the functions that read all rows of a project, each in a process limited to its function's
 * memory, as on Lambda.
 *     npm run bench:memory -- [--rows 500000,2000000] [--shape usual,longIds,tagged] [--only sessions]
 */
import Table from "cli-table3";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { works } from "./memory/works.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "500000,1000000,2000000" },
    shape: { type: "string", default: "usual,longIds,tagged" },
    only: { type: "string" },
  },
});

/**
 * Heap flags like Lambda's: nine tenths of a function's memory for old objects, a twentieth for each half of the new
 * ones.
 */
const flags = (memory: number): readonly string[] => [
  `--max-old-space-size=${Math.floor(memory * 0.9)}`,
  `--max-semi-space-size=${Math.floor(memory * 0.05)}`,
];

const script = fileURLToPath(new URL("memory/work.ts", import.meta.url));

const table = new Table({ head: ["", "rows", "", "MB of", "peak MB", "CPU s", "ended"] });
for (const [name, { memory }] of Object.entries(works)) {
  if (values.only !== undefined && !values.only.split(",").includes(name)) continue;
  for (const shape of values.shape.split(",")) {
    for (const rows of values.rows.split(",")) {
      const child = spawn(process.execPath, [...flags(memory), script, name, rows, shape], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
      if (output === "" && !complaint.includes("heap out of memory")) throw new Error(complaint.slice(-2_000));
      const result =
        output === "" ? null : (JSON.parse(output) as { ended: string; megabytes: number; seconds: number });
      const ended =
        result === null ? "OUT OF MEMORY" : result.megabytes > memory ? `${result.ended}, TOO MUCH` : result.ended;
      table.push([name, rows, shape, memory, result?.megabytes ?? "", result?.seconds.toFixed(1) ?? "", ended]);
      process.stderr.write(`${name} ${rows} ${shape} ${memory} ${output}\n`);
    }
  }
}
process.stdout.write(`${table.toString()}\n`);
