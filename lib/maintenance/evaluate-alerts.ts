import { inTurns, throwFailures } from "../async/in-turns.ts";
import { evaluate, type Evaluation } from "../domain/alerts/evaluate.ts";
import { baselineEnd, windowEndAt, windowLength, type AlertRule } from "../domain/alerts/rule.ts";
import { stepOf } from "../domain/alerts/state.ts";
import { countOf, type WindowSums } from "../domain/alerts/sums.ts";
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
      const [rule, stored] = await Promise.all([rules.get(project, id), states.get(project, id)]);
      if (stored === null) return 0;
      if (rule === null) {
        await states.remove(project, id);
        return 0;
      }
      const { settings } = rule;
      const length = windowLength(settings.window);
      let { state }: Pick<StoredState, "state"> = stored;
      let last: Evaluation | StoredState["evaluation"] = stored.evaluation;
      const changes: Transition[] = [];
      let hasData = false;
      const ends = windowsOf(rule, stored, now());
      // A window is read once, also if it is the baseline of the next one.
      const windows = new Map<number, Promise<WindowSums>>();
      const read = (end: number): Promise<WindowSums> => {
        const window = windows.get(end) ?? sums.read(rule, end);
        windows.set(end, window);
        return window;
      };
      for (const end of ends) {
        const reference = baselineEnd(settings, end);
        const [current, baseline] = await Promise.all([read(end), reference === null ? null : read(reference)]);
        const evaluation = evaluate(settings, current, baseline);
        const step = stepOf(state, end, evaluation.verdict, settings);
        if (step.transition !== null) changes.push({ transition: step.transition, end, evaluation });
        const isEarlier = end < state.windowEnd;
        hasData = countOf(current) > 0 || (settings.signal === "volume" && (evaluation.referenceCount ?? 0) > 0);
        state = step.state;
        if (!isEarlier) last = evaluation;
      }
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
      return (await states.put(project, id, { state, evaluation: last }, options)) ? changes.length : tryAgain;
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
