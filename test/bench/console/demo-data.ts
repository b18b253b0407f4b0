import { demoTraces } from "../../../infra/local/demo/traces.ts";
import { createClient, type Client } from "../../../lib/client/client.ts";
import type { RunningService } from "../../support/service/service.ts";
import { eventually } from "../../support/service/local-fixture.ts";

const hour = 3_600_000;

/** Number of rounds of the demo's stories, an hour and a half apart. */
const rounds = 36;

/** Ids of the demo items that the pages show. */
export interface DemoData {
  readonly client: Client;
  /** Id of a judged trace with a failed step. */
  readonly trace: string;
  readonly session: string;
  readonly run: string;
}

const judged = async (client: Client, metrics: readonly string[], filters = {}): Promise<string> => {
  const { id } = await client.createTraceRun({ body: { name: "all of it", metrics, filters, max_cost_usd: 2 } });
  await eventually(async () =>
    (await client.getTraceRun({ path: { run_id: id } })).completed_at === null ? undefined : id,
  );
  return id;
};

/** Stores the demo's traces over two days and two releases, judged by rules, with a monitor. */
export const demoData = async ({ baseUrl, tenant }: RunningService): Promise<DemoData> => {
  const { apiKey, projectName } = tenant;
  const client = createClient({ baseUrl, credentials: { apiKey, projectName } });
  const now = Date.now();
  let trace = "";
  for (let round = rounds - 1; round >= 0; round -= 1) {
    // The number of stories varies as over a day.
    const stories = demoTraces(now - round * 1.5 * hour, "nightly").slice(0, 2 + ((round * 7) % 5));
    // oxlint-disable-next-line oxc/no-map-spread -- the demo's own traces stay as they are.
    const traces = stories.map(({ trace: storyTrace }, index) => ({
      ...storyTrace,
      release: round > rounds / 3 ? "2.0" : "2.1",
      environment: index % 3 === 2 ? "staging" : "production",
      user_id: `customer-${(round + index * 3) % 9}`,
      session_id: `chat-${Math.floor(round / 3)}-${storyTrace.name}`,
    }));
    const { results } = await client.createTraces({ body: { traces } });
    const failed = traces.findIndex(({ status }) => status === "ERROR");
    trace = (round < 3 && failed >= 0 ? results[failed]?.trace_id : null) ?? trace;
  }
  const run = await judged(client, ["task_completion", "tool_correctness", "step_efficiency"]);
  await judged(client, ["task_completion"], { has_error: true });
  const session = `chat-1-support-agent`;
  await client.createSessionBatchRun({ body: { session_ids: [session], metrics: ["agent_reliability"] } });
  const monitor = await client.createMonitor({
    body: {
      name: "what production failed at",
      target_type: "TRACE",
      metrics: ["task_completion"],
      cadence: "daily",
      filters: { environment: "production", has_error: true },
      max_cost_usd: 0.5,
    },
  });
  await client.triggerMonitor({ path: { monitor_id: monitor.id } });
  return { client, trace, session, run };
};
