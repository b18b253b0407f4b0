import type { ScoreQuery } from "./score-list.tsx";

const numberIn = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/** Returns the filters of scores in the address of a page. */
export const scoreQueryIn = (query: Readonly<Record<string, string>>): ScoreQuery => {
  const { name, status, date_from: from, date_to: to, judge, eval_run_id: run } = query;
  const [minValue, maxValue] = [numberIn(query["min_value"]), numberIn(query["max_value"])];
  const version = numberIn(query["metric_version"]);
  return {
    ...(name === undefined ? {} : { name }),
    ...(status === "FAILED" || status === "SUCCESS" ? { status } : {}),
    ...(minValue === undefined ? {} : { min_value: minValue }),
    ...(maxValue === undefined ? {} : { max_value: maxValue }),
    ...(from === undefined ? {} : { date_from: from }),
    ...(to === undefined ? {} : { date_to: to }),
    ...(judge === undefined ? {} : { judge }),
    ...(run === undefined ? {} : { eval_run_id: run }),
    ...(version === undefined ? {} : { metric_version: version }),
  };
};
