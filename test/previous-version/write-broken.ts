import { DeleteItemCommand, type DynamoDBClient, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { mergeTrace } from "../../lib/domain/traces/merge.ts";
import { packHashes } from "../../lib/store/documents/filter-key-hashes.ts";
import { bodyPartition, filterSort, partSort } from "../../lib/store/traces/keys.ts";
import { pieceOf } from "../../lib/store/traces/unpack-pieces.ts";
import { packRow, unpackRow } from "../../lib/store/traces/row-codec.ts";
import { spanIdsOfTrace } from "../../lib/store/traces/span-id-filters.ts";
import type { Send } from "./caller.ts";
import { putItems, readItems } from "./table-items.ts";
import { smallTrace } from "./write-traces.ts";
import { uuidOf } from "./write-ids.ts";

type Tables = Readonly<Record<string, string>>;

/** Restores the state of a run before its commit, which sets the status and lists the run. */
const takeCommitBack = async (client: DynamoDBClient, { runs = "" }: Tables, run: string): Promise<void> => {
  const { runs: items = [] } = await readItems(client, { runs });
  const item = items.find(({ pk, sk }) => pk?.S?.endsWith(run) === true && sk?.S === "run");
  if (item?.["pk"] === undefined || item["sk"] === undefined) throw new Error("The run is not there.");
  await client.send(
    new UpdateItemCommand({
      TableName: runs,
      Key: { pk: item["pk"], sk: item["sk"] },
      UpdateExpression: "SET #status = :creating REMOVE list_key",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":creating": { S: "CREATING" } },
    }),
  );
};

/** Restores the state of a trace before its commit, which writes the row. */
const takeRowBack = async (client: DynamoDBClient, { rows = "" }: Tables, trace: string): Promise<void> => {
  const { rows: items = [] } = await readItems(client, { rows });
  const id = trace.replaceAll("-", "");
  const row = items.find(({ sk }) =>
    Buffer.from(sk?.B ?? [])
      .toString("hex")
      .endsWith(id),
  );
  if (row?.["pk"] === undefined || row["sk"] === undefined) throw new Error("The row is not there.");
  await client.send(new DeleteItemCommand({ TableName: rows, Key: { pk: row["pk"], sk: row["sk"] } }));
};

/** Splits a one-part document in two, like a document of more than 390 KB compressed, which is too large for a fixture. */
const cutDocument = async (client: DynamoDBClient, tables: Tables, trace: string): Promise<void> => {
  const { rows = "", bodies = "" } = tables;
  const storedItems = await readItems(client, { rows, bodies });
  const id = trace.replaceAll("-", "");
  const row = storedItems["rows"]?.find(({ sk }) =>
    Buffer.from(sk?.B ?? [])
      .toString("hex")
      .endsWith(id),
  );
  const pointer = storedItems["bodies"]?.find(({ pk, sk }) => pk?.S?.endsWith(trace) === true && sk?.S === "row");
  const [project, document] = [pointer?.["pk"]?.S?.slice(0, -trace.length - 1), pointer?.["b"]?.B];
  if (row === undefined || project === undefined || document === undefined) throw new Error("The trace is not there.");
  const unpacked = unpackRow({ sk: row["sk"]?.B, d: row["d"]?.B, v: Number(row["v"]?.N), i: row["i"]?.S });
  const { appendState, incarnation, pieces } = unpacked;
  const piece = await pieceOf([document]);
  if (appendState === null || pieces[0]?.parts !== 1 || piece.kind !== "trace")
    throw new Error("The document is not one part.");
  const middle = Math.floor(document.length / 2);
  // Without a whole document in the pointer, a filter of its own has the span ids.
  const { spanIds, filter } = spanIdsOfTrace(mergeTrace(null, piece.trace), false);
  const d = packRow({
    ...unpacked,
    pieces: [{ id: incarnation, parts: 2 }],
    appendState: { ...appendState, spanIds },
  });
  const { r: _, ...shared } = pointer ?? {};
  const { w = { N: "0" } } = shared;
  const bodyItems = [
    { ...shared, sk: { S: partSort(incarnation, 1) }, b: { B: document.subarray(middle) } },
    { ...pointer, b: { B: document.subarray(0, middle) } },
    ...(filter === null
      ? []
      : [
          {
            pk: { S: bodyPartition(project, trace) },
            sk: { S: filterSort(filter.id) },
            b: { B: packHashes(filter.hashes) },
            i: { S: incarnation },
            w,
          },
        ]),
  ];
  await putItems(client, tables, { rows: [{ ...row, d: { B: d } }], bodies: bodyItems });
};

/** Marks an hour as stale. */
const mark = async (client: DynamoDBClient, { aggregates = "" }: Tables): Promise<void> => {
  const { aggregates: items = [] } = await readItems(client, { aggregates });
  const hour = items.find(({ pk }) => pk?.S?.endsWith("#hours"));
  const [project = "", key = ""] = [hour?.["pk"]?.S?.slice(0, -"#hours".length), hour?.["sk"]?.S];
  const [, ...name] = key.split("#");
  const Item = {
    pk: { S: "pending#hours" },
    sk: { S: `${project}#${name.join("#")}` },
    token: { S: uuidOf("token") },
  };
  await client.send(new PutItemCommand({ TableName: aggregates, Item }));
};

/** Merges a counter's partial sum, as after the end of a shard. */
const mergeCounter = async (client: DynamoDBClient, { aggregates = "" }: Tables): Promise<void> => {
  const { aggregates: items = [] } = await readItems(client, { aggregates });
  const partial = items.find(({ sk, n }) => sk?.S?.startsWith("total#shard") === true && Number(n?.N) > 10);
  if (partial?.["pk"] === undefined) throw new Error("There is no counter.");
  const [n, merged] = [Number(partial["n"]?.N), 3];
  const base = { pk: partial["pk"], sk: { S: "total#base" }, n: { N: String(merged) } };
  for (const Item of [base, { ...partial, n: { N: String(n - merged) } }])
    await client.send(new PutItemCommand({ TableName: aggregates, Item }));
};

/** Creates the states left by processes that crashed midway or have just started, without background work. */
export const breakOff = async (send: Send, client: DynamoDBClient, tables: Tables, now: number): Promise<void> => {
  const run = (name: string) =>
    send("POST", "/evaluations/trace-runs", { name, metrics: ["task_completion", "tool_correctness"] });
  await run("pending");
  const { id } = await run("creating");
  await takeCommitBack(client, tables, id);
  await send("POST", "/traces", smallTrace("uncommitted", now));
  await takeRowBack(client, tables, uuidOf("uncommitted"));
  await cutDocument(client, tables, uuidOf("large"));
  await mark(client, tables);
  await mergeCounter(client, tables);
};
