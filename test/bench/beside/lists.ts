import Table from "cli-table3";
import * as v from "valibot";
import { generateRow } from "../../support/traces/generate-row.ts";
import { writeRows } from "../../support/traces/rows.ts";
import { databaseAt } from "../../support/service/service-database.ts";
import { seeded } from "../../support/random.ts";
import { median } from "../median.ts";
import { exportAll, makeSpans } from "./exports.ts";
import { cpuOf, peerProgram, type Program, startAssay, startPhoenix, untilIdle } from "./programs.ts";
import { checkRatio } from "./ratio.ts";

const traces = 20_000;
/** Different names and users of the traces, traces of an export, and requests of a round. */
const [names, users, exportSize, requests, rounds] = [50, 1_000, 500, 20, 3] as const;

const labelsOf = (trace: number) => ({ name: `agent ${trace % names}`, user: `user ${trace % users}` });

const isDatabase = (command: string): boolean => command.includes("dynoxide");

const projects = v.object({
  data: v.object({
    projects: v.object({
      edges: v.array(v.object({ node: v.object({ id: v.string(), name: v.string(), traceCount: v.number() }) })),
    }),
  }),
});
const spanPage = v.object({ data: v.object({ node: v.object({ spans: v.object({ edges: v.array(v.unknown()) }) }) }) });
const tracePage = v.object({ items: v.array(v.unknown()) });

const ask = async (program: Program, query: string, variables: object = {}): Promise<unknown> => {
  const body = JSON.stringify({ query, variables });
  const headers = { "Content-Type": "application/json" };
  const reply = await fetch(`${program.url}/graphql`, { method: "POST", headers, body });
  return reply.json();
};

/** Sends the traces to Phoenix, which stores them after its reply. @returns the id of their project. */
const fillPhoenix = async (phoenix: Program): Promise<string> => {
  for (let at = 0; at < traces; at += exportSize)
    await exportAll(phoenix, [makeSpans(exportSize, 1, (trace) => labelsOf(at + trace))]);
  for (;;) {
    await untilIdle(phoenix);
    const { data } = v.parse(projects, await ask(phoenix, "{ projects { edges { node { id name traceCount } } } }"));
    const project = data.projects.edges.find(({ node }) => node.traceCount === traces);
    if (project !== undefined) return project.node.id;
  }
};

type Assay = Awaited<ReturnType<typeof startAssay>>;

const fillAssay = async ({ ready }: Assay): Promise<void> => {
  const random = seeded(1);
  const begin = Date.now() - 3_600_000;
  const rows = Array.from({ length: traces }, (_, trace) => {
    const { name, user } = labelsOf(trace);
    return { ...generateRow(random, begin + trace * 100), name, userId: user };
  });
  await writeRows(databaseAt({ url: ready.dynamodb_url, tables: ready.tables }), ready.project_id, rows);
};

const spansQuery = `query ($id: ID!, $filter: String) { node(id: $id) { ... on Project {
  spans(first: 50, filterCondition: $filter, sort: { col: startTime, dir: desc }) {
    edges { node { id spanId name startTime endTime latencyMs statusCode } } } } } }`;

/** A list of each program. @returns the number of its items */
interface ComparedList {
  readonly name: string;
  readonly limit: number;
  readonly assay: () => Promise<number>;
  readonly phoenix: () => Promise<number>;
}

const listsOf = (assay: Assay, phoenix: Program, id: string): readonly ComparedList[] => {
  const items = async (query: string): Promise<number> => {
    const reply = await fetch(`${assay.url}/traces?limit=50&${query}`, { headers: assay.headers });
    return v.parse(tracePage, await reply.json()).items.length;
  };
  const spans = async (filter: string): Promise<number> => {
    const page = v.parse(spanPage, await ask(phoenix, spansQuery, { id, filter }));
    return page.data.node.spans.edges.length;
  };
  return [
    { name: "by name", limit: 2, assay: () => items("name=agent%207"), phoenix: () => spans("name == 'agent 7'") },
    {
      name: "by user",
      limit: 2,
      assay: () => items("user_id=user%207"),
      phoenix: () => spans("attributes['user']['id'] == 'user 7'"),
    },
  ];
};

/** Prints CPU and wall time of filtered lists beside Phoenix's, the local database's share apart. */
export const benchListsBeside = async (): Promise<void> => {
  const peer = peerProgram("BENCH_PHOENIX", "arize-phoenix");
  if (peer === null) return;
  const [assay, phoenix] = [await startAssay(), await startPhoenix(peer)];
  try {
    await fillAssay(assay);
    const lists = listsOf(assay, phoenix, await fillPhoenix(phoenix));
    await untilIdle(assay);
    const head = [`50 of ${traces} traces`, "", "CPU ms", "its database's CPU ms", "ms", "items"];
    const table = new Table({ head, style: { head: [], border: [] } });
    for (const { name, limit, ...read } of lists) {
      const functionCpu = { assay: [] as number[], phoenix: [] as number[] };
      const database = { assay: [] as number[], phoenix: [] as number[] };
      const times = { assay: [] as number[], phoenix: [] as number[] };
      const counts = { assay: 0, phoenix: 0 };
      for (let round = 0; round <= rounds; round += 1) {
        for (const [key, program] of [["assay", assay] as const, ["phoenix", phoenix] as const]) {
          const before = program.usage();
          for (let request = 0; request < requests; request += 1) {
            const from = performance.now();
            counts[key] = await read[key]();
            if (round > 0) times[key].push(performance.now() - from);
          }
          const after = program.usage();
          const spent = (matches: (command: string) => boolean): number =>
            ((cpuOf(after, matches) - cpuOf(before, matches)) * 1000) / requests;
          if (round === 0) continue;
          functionCpu[key].push(spent((command) => !isDatabase(command)));
          database[key].push(spent(isDatabase));
        }
      }
      for (const key of ["assay", "phoenix"] as const) {
        const figures = [functionCpu[key], database[key], times[key]].map((values) => median(values).toFixed(1));
        table.push([name, key, ...figures, counts[key]]);
      }
      checkRatio(`the functions' CPU of a list ${name}`, median(functionCpu.assay), median(functionCpu.phoenix), limit);
    }
    console.log(table.toString());
  } finally {
    await Promise.all([assay.stop(), phoenix.stop()]);
  }
};
