import { inTurns, throwFailures } from "../async/in-turns.ts";
import { endsToRead, evaluateWindows } from "../domain/alerts/evaluate-windows.ts";
import { windowEndAt, windowLength, type AlertRule } from "../domain/alerts/rule.ts";
import { countOf, noSums } from "../domain/alerts/sums.ts";
import { immediateRetryPolicy } from "../dynamo/retry-policies.ts";
import { throwContention, tryAgain, withRetries } from "../dynamo/with-retries.ts";
import type { AlertRules } from "../store/alerts/rules.ts";
import {
  windowGraceMilliseconds,
  type AlertStates,
  type StoredState,
  type Transition,
} from "../store/alerts/states.ts";
import type { AlertSums } from "../store/alerts/sums.ts";

/** Windows that are evaluated at most when evaluations were late. */
const maxWindows = 3;

/** Rules evaluated at the same time. */
const concurrency = 32;

interface Dependencies {
  readonly rules: Pick<AlertRules, "get">;
  readonly states: Pick<AlertStates, "get" | "put" | "remove" | "due">;
  readonly sums: Pick<AlertSums, "read">;
  readonly now: () => number;
}

/** Returns the ends of the windows to evaluate, oldest first: the last one that was evaluated is read again. */
const windowsOf = (rule: AlertRule, { state }: StoredState, now: number): readonly number[] => {
  const length = windowLength(rule.settings.window);
  const running = windowEndAt(rule, now - windowGraceMilliseconds);
  if (running === null) return [];
  const ends = Array.from({ length: maxWindows }, (_, index) => running - (maxWindows - index) * length);
  return ends.filter((end) => end >= Math.max(state.windowEnd, rule.anchor + length));
};

/** Evaluates one rule. @returns the number of changes of its state. */
const evaluateRule = async (
  { rules, states, sums, now }: Dependencies,
  { project, id }: { readonly project: string; readonly id: string },
): Promise<number> =>
  await withRetries(
    immediateRetryPolicy,
    throwContention("The state of an alert rule changed during every attempt to evaluate it."),
    async () => {
      // The state is read first: a change of the rule raises its revision, so that it cannot be replaced by an older rule's.
      const stored = await states.get(project, id);
      if (stored === null) return 0;
      const rule = await rules.get(project, id);
      if (rule === null) {
        await states.remove(project, id);
        return 0;
      }
      const { settings } = rule;
      if (!settings.enabled) {
        const options = { revision: stored.revision, nextEnd: null, changes: [] };
        return (await states.put(project, id, stored, options)) ? 0 : tryAgain;
      }
      const length = windowLength(settings.window);
      const ends = windowsOf(rule, stored, now());
      const read = async (end: number) => [end, await sums.read(rule, end)] as const;
      const windows = new Map(await Promise.all([...endsToRead(settings, ends)].map(read)));
      const steps = evaluateWindows(settings, stored.state, ends, (end) => windows.get(end) ?? noSums, stored.gaps);
      const changes = steps.flatMap(({ transition, end, evaluation }): Transition[] =>
        transition === null ? [] : [{ transition, end, evaluation }],
      );
      const lastStep = steps.at(-1);
      const state = lastStep?.state ?? stored.state;
      const evaluation = steps.findLast(({ end }) => end >= stored.state.windowEnd)?.evaluation ?? stored.evaluation;
      const hasData =
        lastStep !== undefined &&
        (lastStep.evaluation.count > 0 ||
          (settings.signal === "volume" && (lastStep.evaluation.referenceCount ?? 0) > 0));
      const lastEnd = ends.at(-1);
      const nextEnd = lastEnd === undefined ? rule.anchor + length : lastEnd + length;
      const isSettled =
        lastEnd !== undefined &&
        !hasData &&
        state.name === stored.state.name &&
        state.calm === stored.state.calm &&
        !(state.name === "ALERT" && settings.repeatEvery !== null) &&
        // A silent hour may follow a week after a busy one.
        !(settings.baseline === "last_week" && settings.signal === "volume") &&
        countOf(await sums.read(rule, nextEnd)) === 0;
      const options = { revision: stored.revision, nextEnd: isSettled ? null : nextEnd, changes };
      return (await states.put(project, id, { state, evaluation, gaps: stored.gaps }, options))
        ? changes.length
        : tryAgain;
    },
  );

/**
 * Evaluates the alert rules that are due.
 *
 * @param milliseconds time after which no further rule is started.
 * @returns numbers of rules and of changes of their states.
 * @throws AggregateError when some rules could not be evaluated, after all others were.
 */
export const evaluateAlerts = async (dependencies: Dependencies, milliseconds: number) => {
  const { states, now } = dependencies;
  const begin = now();
  let transitions = 0;
  const turns = await inTurns(
    states.due(begin),
    async (rule) => {
      transitions += await evaluateRule(dependencies, rule);
    },
    { until: begin + milliseconds, now, concurrency },
  );
  throwFailures(turns, "Alert rules that could not be evaluated");
  return { alerts: turns.taken, transitions };
};
