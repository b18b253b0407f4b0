import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { previewCustomMetric } from "../../../../lib/contract/metrics/preview.ts";
import { getSpend } from "../../../../lib/contract/runs/spend.ts";
import { budgetName } from "../../../../lib/store/spend/items.ts";
import { ledgerChecker } from "../../../../lib/maintenance/check-ledger.ts";
import { synthesize } from "../../../../infra/local/synth.ts";
import { variables } from "../../../../lib/wiring/environment.ts";
import { someMetric } from "../../../support/custom-metric.ts";
import { type FakeJudge, reply, completion, startFakeJudge } from "../../../support/runs/fake-judge.ts";
import { monthLedger } from "../../../support/runs/month-ledger.ts";
import { type Client, newProject } from "../../../support/service/client.ts";
import { databaseOf } from "../../../support/service/service-database.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";
import { withJudgeVariables } from "../../../support/service/with-variables.ts";

const model = "openai/judge";
const trace = { name: "x", started_at: "2026-10-01", input: "Rename me.", output: "I cannot be changing a name." };
const body = { metric: someMetric("declines"), trace, model };

const statement = (answer: string) => ({ evidence: ["changing a name"], reason: "It says so.", answer });
const answer = {
  task: "Change a name.",
  statements: { declined: statement("yes"), alternative: statement("no"), rude: statement("no") },
};

/** A judge's reply that costs 10 US dollars: nearly a million tokens at 10 dollars a million, and one at 40. */
const expensiveReply = reply(200, {
  ...completion(JSON.stringify(answer)),
  usage: { prompt_tokens: 999_996, completion_tokens: 1 },
});

/** Monthly ceilings in US dollars. */
const ceilings = { project: 5, organization: 15, deployment: 25 } as const;

let service: RunningService;
let judge: FakeJudge;

beforeAll(async () => {
  judge = await startFakeJudge();
  service = await startService({
    sharedThreads: false,
    providers: { openai: { key: "sk-test", baseUrl: judge.url } },
    synthesize: async (...request) =>
      withJudgeVariables(await synthesize(...request), {
        [variables.judgePrices]: JSON.stringify({ [model]: { input: 10, output: 40 } }),
        [variables.projectMonthlyCostCeiling]: String(ceilings.project),
        [variables.organizationMonthlyCostCeiling]: String(ceilings.organization),
        [variables.monthlyCostCeiling]: String(ceilings.deployment),
      }),
  });
});

afterAll(async () => {
  await service.close();
  await judge.close();
});

const ledgerEntry = () => monthLedger(databaseOf(service), budgetName("deployment", {}, Date.now()));

/** The reconciliation of the budget ledger, made the given number of days from now. */
const reconcileLater = async (days: number) => {
  const today = new Date();
  // At noon the check is in no month's first or last hour, in which it does nothing.
  const later = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + days, 12);
  return await ledgerChecker(databaseOf(service), () => later)(20_000);
};

/** Previews the metric once. @returns the score's reason, or null when it has a value. */
const refusal = async (client: Client): Promise<string | null> => {
  const { items } = await client.answer(previewCustomMetric, { body });
  const [item] = items;
  if (item?.score?.status === "SUCCESS") return null;
  expect(item).toMatchObject({ score: { value: null, metadata: { code: "cost_ceiling" } }, usage: { calls: 0 } });
  return item?.score?.reason ?? "";
};

// Must be the first test, while nothing is spent yet.
test("the reservation of a preview whose worker is killed during a call counts as spent", async () => {
  const judgeCalled = Promise.withResolvers<void>();
  judge.script(async (response) => {
    judgeCalled.resolve();
    await wait(60_000, undefined, { ref: false });
    response.destroy();
  });
  const lost = newProject(service)
    .call(previewCustomMetric, { body })
    .catch(() => null);
  await judgeCalled.promise;
  const entriesDuring = await ledgerEntry();

  const killed = service.stack.functions.kill("previewOwnMetric");
  await lost;
  const entriesAfterKill = await ledgerEntry();
  const { released } = await reconcileLater(2);

  expect([killed, entriesDuring.used > 0, entriesAfterKill]).toEqual([1, true, entriesDuring]);
  expect([released, await ledgerEntry()]).toEqual([1, entriesDuring]);
  expect((await reconcileLater(3)).released).toBe(0);
});

test("a preview calls no judge once its project, its organization or the deployment has spent its monthly ceiling", async () => {
  const earlier = await ledgerEntry();
  judge.script(expensiveReply);
  const [first, second, third] = [newProject(service), newProject(service), newProject(service)];
  const [stranger, strangers] = [newProject(service, service.stranger), newProject(service, service.stranger)];

  expect(await refusal(first)).toBeNull();
  expect(await refusal(first)).toContain(`The project has reached its ceiling of $${ceilings.project}`);
  expect(await refusal(second)).toBeNull();
  expect(await refusal(third)).toContain(`The organization has reached its ceiling of $${ceilings.organization}`);
  expect(await refusal(stranger)).toBeNull();
  expect(await refusal(strangers)).toContain(`The deployment has reached its ceiling of $${ceilings.deployment}`);

  const spendOf = async (client: Client) => {
    const { spent_usd: project, organization_spent_usd: organization } = await client.answer(getSpend);
    return [project, organization];
  };
  expect([await spendOf(first), await spendOf(third), await spendOf(stranger)]).toEqual([
    [10, 20],
    [0, 20],
    [10, 10],
  ]);

  expect(judge.calls.length).toBe(3);
  const used = earlier.used + 30_000_000;
  const spent = { used, booked: used, wrong: [] };
  expect(await ledgerEntry()).toMatchObject(spent);
  expect(await reconcileLater(4)).toMatchObject({ released: 0, wrongShards: 0 });
  expect(await ledgerEntry()).toMatchObject(spent);
});
