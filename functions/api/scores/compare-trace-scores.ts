import { compareTraceScores } from "../../../lib/contract/scores/comparison.ts";
import { sideFilters } from "../../../lib/contract/scores/side-filters.ts";
import { splitTraceFilters } from "../../../lib/contract/scores/trace-filters.ts";
import {
  compareScores,
  comparisonSides,
  type ComparisonSide,
  noMatchText,
  scoresOfSide,
  tracesOfSide,
} from "../../../lib/domain/scores/comparison.ts";
import { judgeVerdicts } from "../../../lib/domain/scores/unit-figures.ts";
import type { Dimension } from "../../../lib/domain/scores/dimensions.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { correctionReader } from "../../../lib/handlers/labels/corrections.ts";
import { filteredTargets, traceFilterCompiler } from "../../../lib/handlers/scores/counted-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { emptyReplyCheck } from "../../../lib/http/metrics/unknown-score.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreUnits } from "../../../lib/store/scores/units/read.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
// The sides have figures of all their traces: from rows.
const [targets, units] = [filteredTargets(database, "trace", null), scoreUnits(database, traceScoreKind)];
const checkName = emptyReplyCheck(database, "trace");
const corrections = correctionReader(database);
const compile = traceFilterCompiler(database);

export const handler = endpoint(compareTraceScores, environmentGuard(database), async ({ project, query, warn }) => {
  const { traceFilters, rest } = splitTraceFilters(query);
  const { metric_name: name, baseline, candidate, max_drop: maxDrop, corrected, ...range } = rest;
  const sideFiltersOf = { baseline: sideFilters("baseline", baseline), candidate: sideFilters("candidate", candidate) };
  const compileSide = (side: ComparisonSide) => compile(project, sideFiltersOf[side], () => ["query", side]);
  const filters = { baseline: await compileSide("baseline"), candidate: await compileSide("candidate") };
  const traces = { baseline: tracesOfSide(), candidate: tracesOfSide() };
  const sideDimension: Dimension = {
    name: "side",
    // Each matching trace is visited once, which also counts it.
    ofTrace: (trace) => {
      const sides = comparisonSides.filter((side) => filters[side].matches(trace));
      for (const side of sides) traces[side].add(trace);
      return sides;
    },
  };
  const isEvery = range.judge !== undefined || range.metric_version !== undefined;
  const request = { filters: traceFilters ?? {}, dimensions: [sideDimension], scored: { name } };
  const facts = await targets(project, request, warn);
  const counted = await units(project.id, {
    range: { ...range, name },
    targets: facts,
    isEvery,
    dimensions: [sideDimension],
    withJudges: corrected,
  });
  for (const side of comparisonSides)
    if (traces[side].isEmpty()) warn(noMatchText(side, traceFilters ?? {}, sideFiltersOf[side]));
  await checkName(project.id, name, counted, warn);
  const unitsOf = (side: string) => counted.filter(({ groups }) => groups.some(([group]) => group === side));
  const sides = { baseline: unitsOf("baseline"), candidate: unitsOf("candidate") };
  const correct = await corrections(project.id, corrected, [name]);
  const figuresOf = (side: ComparisonSide) => ({
    ...scoresOfSide(sides[side]),
    ...correct(name, judgeVerdicts(sides[side])),
    ...traces[side].figures(),
  });
  return {
    metric_name: name,
    unit: isEvery ? ("score" as const) : ("trace" as const),
    baseline: figuresOf("baseline"),
    candidate: figuresOf("candidate"),
    ...compareScores(sides, maxDrop),
  };
});
