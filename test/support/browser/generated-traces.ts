import type { Page } from "playwright-core";
import type { TraceListItem } from "../../../lib/client/interface.ts";

const generatedTrace = (index: number): TraceListItem => ({
  trace_id: crypto.randomUUID(),
  name: `trace ${index}`,
  status: "COMPLETED",
  started_at: new Date(Date.now() - index * 1_000).toISOString(),
  ended_at: null,
  session_id: null,
  user_id: null,
  tags: [],
  environment: null,
  release: null,
  total_tokens: index,
  total_cost: 0,
  unpriced_tokens: 0,
  latency_ms: 1_000,
  span_count: 3,
  has_failed_span: false,
  input_preview: `Question ${index}`,
  scores: [],
});

/**
 * Answers a page's lists of traces with generated ones, `trace 0` and so on.
 *
 * @param total number of traces in the list.
 * @returns the offset of each requested page, in order.
 */
export const generateTraces = async (page: Page, total: number): Promise<readonly number[]> => {
  const offsets: number[] = [];
  await page.route(/\/traces\?/u, async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const offset = Number(query.get("cursor") ?? query.get("offset") ?? 0);
    offsets.push(offset);
    const items = Array.from({ length: 100 }, (_, at) => generatedTrace(offset + at));
    await route.fulfill({ json: { items, total, limit: 100, offset, next_cursor: String(offset + 100) } });
  });
  return offsets;
};
