import { afterAll, beforeAll, expect, test } from "vitest";
import { getTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import {
  type Behaviour,
  completion,
  completionAnswer,
  reply,
  startFakeJudge,
  type FakeJudge,
} from "../../../support/runs/fake-judge.ts";
import { endedRun } from "../../../support/runs/ended-run.ts";
import { passTime } from "../../../support/runs/pass-time.ts";
import { sweptRun } from "../../../support/runs/swept-run.ts";
import { addTraces, scoresOf, startRun } from "../../../support/runs/trace-runs.ts";
import { newProject } from "../../../support/service/client.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { databaseOf } from "../../../support/service/service-database.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";

/** Milliseconds after which the sweeper sends a slice again whose message is still in the queue. */
const messageWait = 11 * 60_000;

let service: RunningService;
let judge: FakeJudge;

beforeAll(async () => {
  judge = await startFakeJudge();
  service = await startService({ providers: { custom: { baseUrl: judge.url } } });
});

afterAll(async () => {
  await service.close();
  await judge.close();
});

const started = async (behaviour: Behaviour) => {
  const client = newProject(service);
  await addTraces(client, 1);
  judge.script(behaviour);
  return { client, run: await startRun(client, { model: "custom/judge" }) };
};

const answer = completion(JSON.stringify(completionAnswer()));

test.each([null, {}, "", { message: null, code: null }])(
  "an answer beside the error %j is paid once and counts",
  async (error) => {
    const { client, run: newRun } = await started(reply(200, { ...answer, error }));
    const run = await endedRun(client, newRun);

    expect(run).toMatchObject({ status: "COMPLETED", failed_count: 0 });
    expect(judge.calls).toHaveLength(1);
  },
);

test.each([
  ["no credit", { code: 402, message: "Insufficient credits" }, "judge_no_credit"],
  ["a wrong key", { code: "401", message: "No auth credentials" }, "judge_auth"],
  ["no such model", { code: null, type: "not_found_error", message: "No model" }, "judge_bad_request"],
  [
    "a moderated question",
    { code: 403, message: "Blocked", metadata: { reasons: ["violence"], flagged_input: "x" } },
    "judge_refused",
  ],
  [
    "a provider's refusal",
    { code: 400, message: "Provider returned error", metadata: { raw: '{"error":{"message":"No."}}' } },
    "judge_bad_request",
  ],
])("%s within a successful reply fails the pair at once, after one call", async (_title, error, code) => {
  const { client, run: newRun } = await started(reply(200, { error }));
  const run = await endedRun(client, newRun);
  const [score] = await scoresOf(client, run);

  expect(run).toMatchObject({ status: "FAILED", failed_count: 1 });
  expect(score).toMatchObject({ status: "FAILED", metadata: { code, attempts: 1 } });
  expect(judge.calls).toHaveLength(1);
});

test.each([
  ["429", { error: { code: 429, message: "Busy" } }],
  ["503 in the first choice", { choices: [{ finish_reason: "error", error: { code: 503, message: "Away" } }] }],
])("%s within a successful reply makes the run wait, and it ends when the provider is back", async (_title, body) => {
  const { client, run } = await started(reply(200, body));
  const waiting = await eventually(async () => {
    const current = await client.answer(getTraceRun, { params: { run_id: run.id } });
    return current.waiting_for === null ? undefined : current;
  });

  judge.script(reply(200, answer));
  await passTime(databaseOf(service), run, messageWait);
  const ended = await sweptRun(service, client, run);

  expect(waiting).toMatchObject({ status: "RUNNING", waiting_for: expect.stringContaining("HTTP 200 with error") });
  expect(ended).toMatchObject({ status: "COMPLETED", failed_count: 0 });
});
