import { DeleteItemCommand, type DynamoDBClient, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import type { Send } from "./caller.ts";
import { readItems } from "./table-items.ts";
import { smallTrace } from "./write-traces.ts";
import { uuidOf } from "./write-ids.ts";

type Tables = Readonly<Record<string, string>>;

/** What a run is before its commit: the commit sets the status and makes it listed. */
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

/** What a trace is before its commit: the row is what commits it. */
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

/**
 * Cuts a document that lies in one part in two, as one is that takes more than 390 KB compressed: a fixture cannot be that
 * large. The number of parts is the last byte of a row whose document is one piece.
 */
const cutDocument = async (
  client: DynamoDBClient,
  { rows = "", bodies = "" }: Tables,
  trace: string,
): Promise<void> => {
  const found = await readItems(client, { rows, bodies });
  const id = trace.replaceAll("-", "");
  const row = found["rows"]?.find(({ sk }) =>
    Buffer.from(sk?.B ?? [])
      .toString("hex")
      .endsWith(id),
  );
  const pointer = found["bodies"]?.find(({ pk, sk }) => pk?.S?.endsWith(trace) === true && sk?.S === "row");
  const [packed, document] = [row?.["d"]?.B, pointer?.["b"]?.B];
  if (packed?.at(-1) !== 1 || document === undefined || pointer?.["i"]?.S === undefined)
    throw new Error("The document is not one part.");
  const middle = Math.floor(document.length / 2);
  const d = { B: Buffer.from(packed).fill(2, packed.length - 1) };
  const { r: _, ...shared } = pointer;
  const part = { ...shared, sk: { S: `part#${pointer["i"].S}#1` }, b: { B: document.subarray(middle) } };
  await client.send(new PutItemCommand({ TableName: rows, Item: { ...row, d } }));
  await client.send(new PutItemCommand({ TableName: bodies, Item: part }));
  await client.send(
    new PutItemCommand({ TableName: bodies, Item: { ...pointer, b: { B: document.subarray(0, middle) } } }),
  );
};

/** Marks that an hour is to be computed again, and that a project's counters are to be looked at: a worker comes to them later. */
const mark = async (client: DynamoDBClient, { aggregates = "" }: Tables, now: number): Promise<void> => {
  const { aggregates: items = [] } = await readItems(client, { aggregates });
  const hour = items.find(({ pk }) => pk?.S?.endsWith("#hours"));
  const [project = "", key = ""] = [hour?.["pk"]?.S?.slice(0, -"#hours".length), hour?.["sk"]?.S];
  const [, ...name] = key.split("#");
  const ttl = { N: String(Math.ceil(now / 1000) + 86_400) };
  const marks = [
    { pk: { S: "pending#hours" }, sk: { S: `${project}#${name.join("#")}` }, token: { S: uuidOf("token") } },
    { pk: { S: "pending#counts" }, sk: { S: `${project}#look` }, state: { S: "other" }, at: { N: String(now) }, ttl },
  ];
  for (const Item of marks) await client.send(new PutItemCommand({ TableName: aggregates, Item }));
};

/** What a counter is once the partial sum of a shard that ended was merged: a part of it lies in nobody's shard. */
const mergeCounter = async (client: DynamoDBClient, { aggregates = "" }: Tables): Promise<void> => {
  const { aggregates: items = [] } = await readItems(client, { aggregates });
  const partial = items.find(({ sk, n }) => sk?.S?.startsWith("total#shard") === true && Number(n?.N) > 10);
  if (partial?.["pk"] === undefined) throw new Error("There is no counter.");
  const [n, merged] = [Number(partial["n"]?.N), 3];
  const base = { pk: partial["pk"], sk: { S: "total#base" }, n: { N: String(merged) } };
  for (const Item of [base, { ...partial, n: { N: String(n - merged) } }])
    await client.send(new PutItemCommand({ TableName: aggregates, Item }));
};

/** What is there after a process died in the middle of its work, or has just begun it: nothing of it in the background. */
export const breakOff = async (send: Send, client: DynamoDBClient, tables: Tables, now: number): Promise<void> => {
  const run = (name: string) =>
    send("POST", "/evaluations/trace-runs", { name, metrics: ["task_completion", "tool_correctness"] });
  await run("pending");
  const { id } = await run("creating");
  await takeCommitBack(client, tables, id);
  await send("POST", "/traces", smallTrace("uncommitted", now));
  await takeRowBack(client, tables, uuidOf("uncommitted"));
  await cutDocument(client, tables, uuidOf("large"));
  await mark(client, tables, now);
  await mergeCounter(client, tables);
};
