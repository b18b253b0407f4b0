import { beforeAll, expect, inject, test } from "vitest";
import { createApiKey } from "../../lib/contract/access/api-keys.ts";
import { renderedPage } from "../support/page/rendered-page.ts";
import { assignments, curlRequest, shellCommands } from "../support/page/shell.ts";
import { eventually } from "../support/service/local-fixture.ts";
import { people } from "../support/users.ts";

const { baseUrl } = inject("service");
const { organization } = people();

interface Step {
  readonly call: string;
  /** Example reply in the documentation page. */
  readonly example: unknown;
}

let settings: string;
let steps: readonly Step[];
beforeAll(async () => {
  const reply = await fetch(`${baseUrl}/docs`);
  const window = renderedPage(await reply.text());
  settings = window.document.querySelector("#start > pre")?.textContent ?? "";
  steps = [...window.document.querySelectorAll("#start > ol > li")].map((item) => ({
    call: item.querySelector("pre")?.textContent ?? "",
    example: JSON.parse(item.querySelector("details pre")?.textContent ?? ""),
  }));
  await window.happyDOM.close();
});

/** Names of fields whose values depend on the service, the judge and the time. */
const varyingFields = new Set(
  "id task_id project_id eval_run_id created_at updated_at metadata judge span_id".split(" "),
);

/** A copy of an object in which values that depend on the service are replaced by their type, also in the citations of a score. */
const withTypesOnly = (value: unknown): object =>
  Object.fromEntries(
    Object.entries(value as object).map(([key, each]: [string, unknown]) => [
      key,
      varyingFields.has(key) ? typeof each : Array.isArray(each) && key === "evidence" ? each.map(withTypesOnly) : each,
    ]),
  );

test("the first calls of the documentation page store a trace, evaluate it and read its scores", async () => {
  const { owner, params } = await organization();
  const { raw_key } = await owner.answer(createApiKey, { params, body: { name: "first steps" } });
  const variables = { ...assignments(settings), KEY: raw_key ?? "" };
  const run = async ({ call }: Step): Promise<{ readonly status: number; readonly body: unknown }> => {
    const [command = [], ...otherCommands] = shellCommands(call, variables);
    expect(otherCommands).toEqual([]);
    const { url, init } = curlRequest(command);
    const reply = await fetch(url, init);
    return { status: reply.status, body: await reply.json() };
  };
  const [storeStep, evaluateStep, readStep] = steps;
  if (storeStep === undefined || evaluateStep === undefined || readStep === undefined)
    throw new Error("There are not three steps.");

  const storeReply = await run(storeStep);
  const runReply = await run(evaluateStep);
  const scores = await eventually(async () => {
    const { status, body } = await run(readStep);
    expect(status).toBe(200);
    return Array.isArray(body) && body.length === 2 ? (body as readonly { readonly name: string }[]) : undefined;
  });

  expect(assignments(settings)).toEqual({ ASSAY: baseUrl, KEY: "sk_as_..." });
  expect([storeReply.status, runReply.status]).toEqual([202, 202]);
  expect(scores).toEqual(
    ["task_completion", "tool_correctness"].map((name) =>
      expect.objectContaining({ name, status: "SUCCESS", reason: expect.stringMatching(/./u) }),
    ),
  );
  const [score] = readStep.example as readonly { readonly name: string }[];
  expect([storeStep.example, evaluateStep.example, score].map(withTypesOnly)).toEqual(
    [storeReply.body, runReply.body, scores.find(({ name }) => name === score?.name)].map(withTypesOnly),
  );
});
