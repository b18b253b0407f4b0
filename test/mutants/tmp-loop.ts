import { detectMutant } from "./catch.ts";
import { datasets } from "./datasets.ts";
import { interfaces } from "./interface.ts";
import { mutantTree } from "./tree.ts";
const all = [...datasets, ...interfaces];
const only = process.argv[2] === undefined ? null : process.argv.slice(2);
const cost = (m: (typeof all)[number]) =>
  String(m.caughtBy).includes("/api/") ? 1 : String(m.caughtBy).includes("infra") ? 2 : 0;
const queue = all
  .filter(
    (m) =>
      only === null || only.some((o) => m.without.includes(o) || m.file.includes(o) || String(m.caughtBy).includes(o)),
  )
  .toSorted((a, b) => cost(a) - cost(b))
  .values();
await Promise.all(
  [0, 1].map(async () => {
    const tree = mutantTree();
    try {
      for (const m of queue) {
        const begin = Date.now();
        try {
          tree.apply(m);
          const c = await detectMutant(tree, m, 1);
          console.log(
            `${c.kind === "alive" ? "ALIVE " : "caught"} | ${m.without} | ${c.kind === "caught" ? c.description.slice(0, 90) : m.file} | ${Math.round((Date.now() - begin) / 1000)} s`,
          );
        } catch (error) {
          console.log(`ERROR | ${m.without} | ${String(error).slice(0, 900)}`);
        }
      }
    } finally {
      tree.remove();
    }
  }),
);
console.log("done");
