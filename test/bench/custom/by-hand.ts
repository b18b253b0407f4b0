import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { looseObject, parse, unknown } from "valibot";
import { createClient, type Client } from "../../../lib/client/client.ts";
import type { TraceScore } from "../../../lib/client/interface.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { startFakeJudge } from "../../support/runs/fake-judge.ts";
import { startService } from "../../support/service/service.ts";
import { differencesByHand, type FoundScore } from "../../support/runs/trajectories/by-hand.ts";
import { carefulChange, type ToolNames } from "../../support/runs/trajectories/careful-change.ts";
import { lookingJudge, type LookedRecord } from "../../support/runs/trajectories/looking-judge.ts";

/** What the airline's agent calls. */
const tools: ToolNames = {
  looks: "get_user_details",
  changes: "update_reservation_flights",
  handsOver: "transfer_to_human_agents",
  thinks: "think",
};

/** Stands in the one trace's record. */
const markOf = (place: number): string => `(trajectory ${place})`;

const senders = 4;

const endedRun = async (client: Client, id: string) => {
  for (;;) {
    const run = await client.getTraceRun({ path: { run_id: id } });
    if (run.status === "COMPLETED" || run.status === "FAILED") return run;
    await wait(100);
  }
};

const foundIn = ({ value, metadata, evidence, evidence_dropped: dropped }: TraceScore): FoundScore => ({
  value: value === null ? null : Number(value),
  code: metadata["code"],
  level: metadata["level"],
  statements: metadata["statements"],
  success: metadata["success"],
  cited: evidence ?? [],
  dropped: dropped ?? 0,
});

/**
 * Trajectories scored by a metric of three statements through the whole service and a scripted judge, both over HTTP, and every score
 * made again by hand.
 *
 * @param file NDJSON, gzipped, an object with `trace` a line.
 * @throws Error that names what differs.
 */
export const benchByHand = async (file: string): Promise<void> => {
  const sent = gunzipSync(readFileSync(file))
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line, place) => {
      const trace = parse(createTrace.body, parse(looseObject({ trace: unknown() }), JSON.parse(line)).trace);
      return Object.assign({}, trace, { metadata: { line: markOf(place) }, spans: trace.spans ?? [] });
    });
  const said: LookedRecord[] = [];
  const fake = await startFakeJudge();
  fake.script(lookingJudge(said));
  const service = await startService({ limitFactor: 300, providers: { custom: { baseUrl: fake.url } } });
  try {
    const credentials = { apiKey: service.tenant.apiKey, projectName: "trajectories" };
    const client = createClient({ baseUrl: service.baseUrl, credentials });
    await client.createOwnMetric({ body: carefulChange(tools) });
    const ids: string[] = [];
    const queue = sent.entries();
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

    const differences = sent.flatMap((trace, place): readonly string[] => {
      const of = said.filter(({ record }) => record.includes(markOf(place)));
      const score = scores.get(ids[place] ?? "");
      const [first] = of;
      if (score === undefined || first === undefined || of.length !== 1)
        return [`${markOf(place)}: asked ${of.length} times, score ${score?.id}`];
      return differencesByHand(trace, first, foundIn(score)).map((text) => `${markOf(place)}: ${text}`);
    });
    const levels = Map.groupBy(scores.values(), ({ metadata }) => String(metadata["level"] ?? metadata["code"]));
    const [cited, dropped] = [...scores.values()].reduce(
      ([found, lost], { evidence, evidence_dropped: none }) => [found + (evidence?.length ?? 0), lost + (none ?? 0)],
      [0, 0],
    );
    const calls = `${run.judge_usage.calls} calls, ${said.length} of them answered`;
    console.log(
      `${sent.length} trajectories, ${scores.size} scores, ${calls}; quotations: ${cited} found, ${dropped} not`,
    );
    console.log([...levels].map(([level, of]) => `${level} ${of.length}`).join(", "));
    if (differences.length > 0) throw new Error(`Not as by hand:\n${differences.join("\n")}`);
    console.log(
      "Made again by hand: no difference in value, level, success, answers, quotations or the spans that they are of.",
    );
  } finally {
    await service.close();
    await fake.close();
  }
};
