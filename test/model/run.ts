/**
 * Compares a running service with the model, one project after another.
 *     npm run model -- [--url http://127.0.0.1:4000 --key sk_as_...] [--seed 1] [--count 10]
 * Without a URL it uses the service of `npm start`; start that with `-- --limit-factor 300`.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { caller } from "./caller.ts";
import { compareWithModel } from "./world.ts";

const number = (fallback: string) => ({ type: "string", default: fallback }) as const;
const { values } = parseArgs({
  options: {
    url: { type: "string" },
    key: { type: "string" },
    seed: number("1"),
    count: number("10"),
    operations: number("200"),
    traces: number("40"),
  },
});

const ready = (): { readonly base_url: string; readonly api_key: string } =>
  JSON.parse(readFileSync(".local/ready.json", "utf8")) as { base_url: string; api_key: string };

const url = values.url ?? ready().base_url;
const key = values.key ?? ready().api_key;
const [seed, count] = [Number(values.seed), Number(values.count)];
const size = {
  operations: Number(values.operations),
  traces: Number(values.traces),
  questions: 40,
  maxMilliseconds: 20_000,
};

let failed = 0;
for (let next = seed; next < seed + count; next += 1) {
  const call = caller(url, { "X-API-Key": key, "X-Project-Name": `model-${randomUUID()}` });
  const startedAt = performance.now();
  const differences = await compareWithModel(call, next, size);
  for (const line of differences) console.log(line);
  failed += differences.length > 0 ? 1 : 0;
  console.log(
    `seed ${next}: ${differences.length} differences in ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
}
console.log(`${count} projects from seed ${seed}, ${failed} of them differ from the model.`);
process.exit(failed === 0 ? 0 : 1);
