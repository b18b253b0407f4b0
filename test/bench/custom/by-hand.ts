import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { looseObject, parse, unknown } from "valibot";
import { createClient, type Client } from "../../../lib/client/client.ts";
import type { TraceScore } from "../../../lib/client/interface.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { startFakeJudge } from "../../support/runs/fake-judge.ts";
import { startService } from "../../support/service/service.ts";
import { differencesByHand, type ActualScore } from "../../support/runs/trajectories/by-hand.ts";
import { carefulChange, type ToolNames } from "../../support/runs/trajectories/careful-change.ts";
import { keywordJudge, type JudgedRecord } from "../../support/runs/trajectories/keyword-judge.ts";

/** Tools of the airline's agent. */
const tools: ToolNames = {
  looks: "get_user_details",
  changes: "update_reservation_flights",
  handsOver: "transfer_to_human_agents",
  thinks: "think",
};

/** Text that occurs only in the transcript of one trace. */
const markOf = (place: number): string => `(trajectory ${place})`;

const senders = 4;

const endedRun = async (client: Client, id: string) => {
  for (;;) {
    const run = await client.getTraceRun({ path: { run_id: id } });
    if (run.status === "COMPLETED" || run.status === "FAILED") return run;
    await wait(100);
  }
};

const foundIn = ({ value, metadata, evidence, evidence_dropped: dropped }: TraceScore): ActualScore => ({
  value: value === null ? null : Number(value),
  code: metadata["code"],
  level: metadata["level"],
  statements: metadata["statements"],
  success: metadata["success"],
  cited: evidence ?? [],
  dropped: dropped ?? 0,
});

/**
 * Scores trajectories with a custom metric of three statements through the whole service and a scripted judge over
 * HTTP, and recomputes every score independently.
 * @param file gzipped NDJSON with an object with `trace` per line.
 * @throws Error with the differences.
 */
export const benchByHand = async (file: string): Promise<void> => {
  const trajectories = gunzipSync(readFileSync(file))
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line, place) => {
      const trace = parse(createTrace.body, parse(looseObject({ trace: unknown() }), JSON.parse(line)).trace);
      return Object.assign({}, trace, { metadata: { line: markOf(place) }, spans: trace.spans ?? [] });
    });
  const lookedRecords: JudgedRecord[] = [];
  const fake = await startFakeJudge();
  fake.script(keywordJudge(lookedRecords));
  const service = await startService({
    sharedThreads: false,
    limitFactor: 300,
    providers: { custom: { baseUrl: fake.url } },
  });
  try {
    const credentials = { apiKey: service.tenant.apiKey, projectName: "trajectories" };
    const client = createClient({ baseUrl: service.baseUrl, credentials });
    await client.createOwnMetric({ body: carefulChange(tools) });
    const ids: string[] = [];
    const queue = trajectories.entries();
    const lane = async (): Promise<void> => {
      for (const [place, body] of queue) ids[place] = (await client.createTrace({ body })).trace_id;
    };
    await Promise.all(Array.from({ length: senders }, lane));
    const { id } = await client.createTraceBatchRun({
      body: { trace_ids: ids, metrics: ["careful_change"], model: "custom/judge" },
    });
    const run = await endedRun(client, id);
    const scores = new Map<string, TraceScore>();
    for await (const score of client.each.listTraceRunScores({ path: { run_id: id } }))
      scores.set(score.trace_id, score);

    const differences = trajectories.flatMap((trace, place): readonly string[] => {
      const recordsOfTrace = lookedRecords.filter(({ record }) => record.includes(markOf(place)));
      const score = scores.get(ids[place] ?? "");
      const [first] = recordsOfTrace;
      if (score === undefined || first === undefined || recordsOfTrace.length !== 1)
        return [`${markOf(place)}: asked ${recordsOfTrace.length} times, score ${score?.id}`];
      return differencesByHand(trace, first, foundIn(score)).map((text) => `${markOf(place)}: ${text}`);
    });
    const levels = Map.groupBy(scores.values(), ({ metadata }) => String(metadata["level"] ?? metadata["code"]));
    const [cited, dropped] = [...scores.values()].reduce(
      ([foundCount, lost], { evidence, evidence_dropped: none }) => [
        foundCount + (evidence?.length ?? 0),
        lost + (none ?? 0),
      ],
      [0, 0],
    );
    const calls = `${run.judge_usage.calls} calls, ${lookedRecords.length} of them answered`;
    console.log(
      `${trajectories.length} trajectories, ${scores.size} scores, ${calls}; quotations: ${cited} found, ${dropped} not`,
    );
    console.log([...levels].map(([level, scoresOfLevel]) => `${level} ${scoresOfLevel.length}`).join(", "));
    if (differences.length > 0) throw new Error(`Not as by hand:\n${differences.join("\n")}`);
    console.log(
      "Made again by hand: no difference in value, level, success, answers, quotations or the spans that they are of.",
    );
  } finally {
    await service.close();
    await fake.close();
  }
};
