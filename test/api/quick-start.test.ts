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
  /** What the page says comes back. */
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

/** What differs from one service, judge and moment to another. */
const own = new Set(
  "id task_id project_id eval_run_id created_at updated_at resolved_model reason metadata judge evidence evidence_dropped".split(
    " ",
  ),
);

/** An object with only the kind of value where the value is a service's own. */
const likeness = (value: unknown): object =>
  Object.fromEntries(
    Object.entries(value as object).map(([key, each]: [string, unknown]) => [key, own.has(key) ? typeof each : each]),
  );

test("the calls that the page opens with store a trace, evaluate it and read its scores", async () => {
  const { owner, params } = await organization();
  const { raw_key } = await owner.answer(createApiKey, { params, body: { name: "first steps" } });
  const variables = { ...assignments(settings), KEY: raw_key ?? "" };
  const run = async ({ call }: Step): Promise<{ readonly status: number; readonly body: unknown }> => {
    const [command = [], ...others] = shellCommands(call, variables);
    expect(others).toEqual([]);
    const { url, init } = curlRequest(command);
    const reply = await fetch(url, init);
    return { status: reply.status, body: await reply.json() };
  };
  const [store, evaluate, read] = steps;
  if (store === undefined || evaluate === undefined || read === undefined)
    throw new Error("There are not three steps.");

  const stored = await run(store);
  const started = await run(evaluate);
  const scores = await eventually(async () => {
    const { status, body } = await run(read);
    expect(status).toBe(200);
    return Array.isArray(body) && body.length === 2 ? (body as readonly { readonly name: string }[]) : undefined;
  });

  expect(assignments(settings)).toEqual({ ASSAY: baseUrl, KEY: "sk_as_..." });
  expect([stored.status, started.status]).toEqual([202, 202]);
  expect(scores).toEqual(
    ["task_completion", "tool_correctness"].map((name) =>
      expect.objectContaining({ name, status: "SUCCESS", reason: expect.stringMatching(/./u) }),
    ),
  );
  const [score] = read.example as readonly { readonly name: string }[];
  expect([store.example, evaluate.example, score].map(likeness)).toEqual(
    [stored.body, started.body, scores.find(({ name }) => name === score?.name)].map(likeness),
  );
});
