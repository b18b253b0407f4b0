import type { TraceScore } from "../../domain/scores/score.ts";
import type { RecentUsage } from "../../judge/prices/estimate.ts";
import type { ScoreLists } from "../../store/scores/list.ts";
import * as v from "valibot";

/** Number of a metric's newest scores that are read. */
const maxScores = 20;

const count = v.pipe(v.number(), v.minValue(0));

const usageMetadata = v.object({
  model: v.string(),
  attempts: v.pipe(v.number(), v.minValue(1)),
  tokens: v.object({ prompt: count, completion: count }),
  coverage: v.object({ shown_characters: count }),
});

/** Returns the total usage of a metric's newest judgements by a model in a project, from the metadata of their scores. */
export const recentUsage =
  (scores: Pick<ScoreLists<TraceScore>, "page">) =>
  async (project: string, metric: string, model: string): Promise<RecentUsage> => {
    const { items } = await scores.page(project, { name: metric }, maxScores, 0);
    let usage: RecentUsage = { calls: 0, prompt: 0, completion: 0, shown: 0 };
    for (const { metadata, source } of items) {
      const parsed = v.safeParse(usageMetadata, metadata);
      if (!parsed.success || source !== "AUTOMATED" || parsed.output.model !== model) continue;
      const { attempts, tokens, coverage } = parsed.output;
      // Zero prompt tokens mean that the provider reported no usage.
      if (tokens.prompt === 0) continue;
      usage = {
        calls: usage.calls + attempts,
        prompt: usage.prompt + tokens.prompt,
        completion: usage.completion + tokens.completion,
        shown: usage.shown + attempts * coverage.shown_characters,
      };
    }
    return usage;
  };
