import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { inject } from "vitest";
import { createClient } from "../../../lib/client/client.ts";
import type { TraceInput } from "../../../lib/client/interface.ts";
import { collect } from "../../../lib/console/use-paged-list.ts";

export const hour = 3_600_000;

/**
 * A project of its own with traces of 5 users in 15 sessions, 60 of them over three days; every ninth trace failed, every seventh has
 * a failed tool, and the oldest took longest.
 */
export const createListProject = async (traceCount = 60) => {
  const service = inject("service");
  const { bearerToken } = service.tenant;
  const owner = createClient({ baseUrl: service.baseUrl, credentials: { token: bearerToken } });
  const [organization] = await collect(owner.each.listOrganizations(), 1);
  const project = await owner.createProject({
    path: { org_id: organization?.id ?? "" },
    body: { name: `lists-${randomUUID().slice(0, 8)}` },
  });
  const client = createClient({
    baseUrl: service.baseUrl,
    credentials: { token: bearerToken, projectId: project.id },
  });
  const traces = Array.from({ length: traceCount }, (_, index): TraceInput => {
    const started = Date.now() - index * 1.2 * hour - 60_000;
    const at = (milliseconds: number): string => new Date(started + milliseconds).toISOString();
    const latency = index === traceCount - 1 ? 447_000 : 500 + ((index * 7_919) % 20_000);
    return {
      name: `agent ${index % 4}`,
      status: index % 9 === 0 ? "ERROR" : "COMPLETED",
      started_at: at(0),
      ended_at: at(latency),
      user_id: `user ${index % 5}`,
      session_id: `chat/${index % 15}`,
      input: `Question ${index}`,
      release: `r${index % 3}`,
      spans: [
        {
          name: "answer",
          kind: "LLM",
          started_at: at(0),
          model: `model-${index % 2}`,
          token_usage: { prompt_tokens: 100 + index, completion_tokens: 10 },
          cost: { total: ((index * 31) % 60) / 100 },
        },
        {
          name: "look up",
          kind: "TOOL",
          started_at: at(1),
          status: index % 7 === 0 ? "ERROR" : "OK",
          error: index % 7 === 0 ? `timeout of ${index % 2 === 0 ? "billing" : "search"}` : null,
        },
      ],
    };
  });
  await client.createTraces({ body: { traces } });
  const tenant = { ...service.tenant, projectId: project.id };
  return { client, service: { baseUrl: service.baseUrl, tenant } };
};

let shared: ReturnType<typeof createListProject> | undefined;
/** The project of the tests that only read. */
export const sharedListProject = () => (shared ??= createListProject());

/** The texts of the cells of the rendered rows of a list. */
export const cellsOf = (page: Page, row: string): Promise<readonly (readonly string[])[]> =>
  page.evaluate(
    `[...document.querySelectorAll(".${row}-row")].map((row) => [...row.querySelectorAll("[role=gridcell]")].map((cell) => cell.textContent))`,
  );
