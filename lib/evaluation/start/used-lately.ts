import type { TraceScore } from "../../domain/scores/score.ts";
import type { UsedLately } from "../../judge/prices/estimate.ts";
import type { ScoreList } from "../../store/scores/list.ts";
import * as v from "valibot";

/** Scores of a metric that are looked at. */
const looked = 20;

const count = v.pipe(v.number(), v.minValue(0));

const judged = v.object({
  model: v.string(),
  attempts: v.pipe(v.number(), v.minValue(1)),
  tokens: v.object({ prompt: count, completion: count }),
  coverage: v.object({ shown_characters: count }),
});

/** What the newest judgements of a metric by a model took in a project, as their scores' metadata tell. */
export const usedLately =
  (scores: Pick<ScoreList<TraceScore>, "page">) =>
  async (project: string, metric: string, model: string): Promise<UsedLately> => {
    const { items } = await scores.page(project, { name: metric }, looked, 0);
    let used: UsedLately = { calls: 0, prompt: 0, completion: 0, shown: 0 };
    for (const { metadata, source } of items) {
      const found = v.safeParse(judged, metadata);
      if (!found.success || source !== "AUTOMATED" || found.output.model !== model) continue;
      const { attempts, tokens, coverage } = found.output;
      // Of calls whose tokens nobody counted nothing can be learned.
      if (tokens.prompt === 0) continue;
      used = {
        calls: used.calls + attempts,
        prompt: used.prompt + tokens.prompt,
        completion: used.completion + tokens.completion,
        shown: used.shown + attempts * coverage.shown_characters,
      };
    }
    return used;
  };
