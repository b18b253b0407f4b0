import { awaitAll } from "../async/concurrency.ts";
import { inTurns, throwFailures } from "../async/in-turns.ts";
import { endsToRead, evaluateWindows } from "../domain/alerts/evaluate-windows.ts";
import { lateWindows } from "../domain/alerts/late-windows.ts";
import { windowEndAt, windowLength, type AlertRule } from "../domain/alerts/rule.ts";
import { awaitsReminder } from "../domain/alerts/state.ts";
import { noSums } from "../domain/alerts/sums.ts";
import type { PendingEvent } from "../domain/event.ts";
import { immediateRetryPolicy } from "../dynamo/retry-policies.ts";
import { throwContention, tryAgain, withRetries } from "../dynamo/with-retries.ts";
import type { AlertRules } from "../store/alerts/rules.ts";
import {
  keptSumMilliseconds,
  windowGraceMilliseconds,
  type AlertStates,
  type RuleId,
  type StoredState,
  type Transition,
} from "../store/alerts/states.ts";
import type { AlertSums } from "../store/alerts/sums.ts";
import { alertEvent } from "../monitors/alert-event.ts";

/** Windows of a rule that are evaluated at most in one turn. */
const maxWindows = 12;

/** Windows without data after which another one changes no state: the last one before them, and enough to clear an alert. */
const settlingWindows = 4;

/** Time after its end in which a window with data is evaluated. */
const promptMilliseconds = 120_000;

/** Time after which no further new rule is evaluated, so that the others are. */
const newRuleMilliseconds = 15_000;

/** Low scores that are announced at most in one turn: with the changes they are one transaction. */
const maxAnnounced = 50;

/** Rules that are read with one request, and groups of them that are evaluated at the same time. */
const [groupSize, concurrentGroups] = [50, 2];

interface Dependencies {
  readonly rules: Pick<AlertRules, "get" | "many">;
  readonly states: Pick<AlertStates, "many" | "put" | "remove" | "due">;
  readonly sums: Pick<AlertSums, "readAll" | "firstEnd">;
  /** Stores the sums of the window before a new rule's first one; returns why not, in a sentence, or null. */
  readonly firstWindow: (rule: AlertRule) => Promise<string | null>;
  /** Builds the events of low scores of a rule whose traces can be read now. */
  readonly unreadScores: (
    rule: AlertRule,
    ids: readonly string[],
  ) => Promise<{ readonly events: readonly PendingEvent[]; readonly unread: ReadonlySet<string> }>;
  readonly now: () => number;
}

/**
 * Returns the ends of the windows to evaluate, oldest first: the last one that was evaluated is read again, and of a new rule
 * the one before its first.
 */
const windowsOf = (rule: AlertRule, { state }: StoredState, now: number): readonly number[] => {
  const length = windowLength(rule.settings.window);
  const running = windowEndAt(rule, now - windowGraceMilliseconds);
  if (running === null) return [];
  const kept = running - Math.floor(keptSumMilliseconds / length) * length;
  const first = Math.max(state.windowEnd, rule.anchor + (state.windowEnd === 0 ? 0 : length), kept);
  return Array.from({ length: Math.max(0, (running - first) / length) }, (_, index) => first + index * length);
};

/** Returns the windows of one turn. After a longer time without data, those in which nothing can change are left out. */
const windowsOfTurn = async (
  rule: AlertRule,
  ends: readonly number[],
  sums: Dependencies["sums"],
): Promise<readonly number[]> => {
  const [next, last] = [ends[settlingWindows], ends.at(-1)];
  if (ends.length <= maxWindows || next === undefined || last === undefined) return ends;
  const withData = Math.min((await sums.firstEnd(rule, next)) ?? last, last);
  return [...ends.slice(0, settlingWindows), ...ends.filter((end) => end >= withData)].slice(0, maxWindows);
};

/** A rule and its state as one read found them; null where there is none. */
interface StoredAlert {
  readonly stored: StoredState | null;
  readonly rule: AlertRule | null;
}

/**
 * Reads rules with their states. The states are read first: a change of a rule raises its state's revision, so that the
 * state cannot be replaced by an evaluation of the former rule.
 */
const readAlerts = async ({ rules, states }: Dependencies, ids: readonly RuleId[]): Promise<readonly StoredAlert[]> => {
  const storedStates = await states.many(ids);
  const storedRules = await rules.many(ids);
  return ids.map(({ id }) => ({ stored: storedStates.get(id) ?? null, rule: storedRules.get(id) ?? null }));
};

/** Evaluates one rule. @returns the number of changes of its state. */
const evaluateRule = async (dependencies: Dependencies, ruleId: RuleId, firstRead: StoredAlert): Promise<number> => {
  const { rules, states, sums, firstWindow, unreadScores, now } = dependencies;
  const { project, id } = ruleId;
  let alert: StoredAlert | undefined = firstRead;
  let reading: Promise<string | null> | undefined;
  return await withRetries(
    immediateRetryPolicy,
    throwContention("The state of an alert rule changed during every attempt to evaluate it."),
    async () => {
      const { stored, rule } = alert ?? (await readAlerts(dependencies, [ruleId]))[0] ?? {};
      alert = undefined;
      if (stored == null) return 0;
      if (rule == null) {
        // Not a rule that cannot be read: it keeps its state.
        if ((await rules.get(project, id)) === null) await states.remove(project, id);
        return 0;
      }
      const { settings } = rule;
      if (!settings.enabled) {
        const options = { revision: stored.revision, nextEnd: null, changes: [], events: [] };
        return (await states.put(project, id, stored, options)) ? 0 : tryAgain;
      }
      const length = windowLength(settings.window);
      const endedWindows = windowsOf(rule, stored, now());
      const turn = await windowsOfTurn(rule, endedWindows, sums);
      const { windowEnd } = stored.state;
      const late = lateWindows(rule, stored.late, windowEnd);
      const ends = [...new Set([...late.ends, ...turn])].toSorted((a, b) => a - b);
      const unreadReason = turn[0] === rule.anchor ? await (reading ??= firstWindow(rule)) : null;
      const windows = await sums.readAll(rule, [...endsToRead(settings, ends)]);
      const { gaps } = stored;
      const isGap = (end: number): boolean =>
        gaps.has(end) || end <= now() - keptSumMilliseconds || (unreadReason !== null && end === rule.anchor);
      const sumsAt = (end: number) => windows.get(end) ?? noSums;
      const knownWindows = { isGap, alertWindows: stored.alertWindows };
      const steps = evaluateWindows(settings, stored.state, ends, sumsAt, knownWindows);
      const isLateArrival = (end: number): boolean => stored.late.has(end) && now() > end + promptMilliseconds;
      const changes = steps.flatMap(({ transition, end, evaluation }): Transition[] =>
        transition === null ? [] : [{ transition, end, evaluation, late: late.ends.has(end) || isLateArrival(end) }],
      );
      const lastStep = steps.at(-1);
      const [stateBefore, state] = [steps.at(-2)?.state ?? stored.state, lastStep?.state ?? stored.state];
      const decisive = steps.findLast(({ end }) => end >= windowEnd);
      const evaluation =
        decisive?.end === rule.anchor
          ? { ...decisive.evaluation, reason: unreadReason }
          : (decisive?.evaluation ?? stored.evaluation);
      const hasData =
        lastStep !== undefined &&
        (lastStep.evaluation.count > 0 ||
          (settings.signal === "volume" && (lastStep.evaluation.referenceCount ?? 0) > 0));
      const lastEnd = ends.at(-1);
      const followingEnd = lastEnd === undefined ? rule.anchor + length : lastEnd + length;
      const ids = [...stored.unread];
      const readable = ids.length === 0 ? null : await unreadScores(rule, ids.slice(0, maxAnnounced));
      const unread = new Set([...ids.slice(maxAnnounced), ...(readable?.unread ?? [])]);
      const isComplete = late.remaining.size + unread.size === 0;
      const nextEnd = isComplete ? followingEnd : windowEnd;
      const isSettled =
        lastEnd !== undefined &&
        isComplete &&
        lastEnd === endedWindows.at(-1) &&
        !hasData &&
        // The last window has changed nothing, and no later one clears an alert.
        (lastEnd > windowEnd || state.name !== "ALERT") &&
        state.name === stateBefore.name &&
        state.calm === stateBefore.calm &&
        !awaitsReminder(state, settings) &&
        // A silent hour may follow a week after a busy one.
        !(settings.compare_with === "last_week" && settings.signal === "volume");
      // Their times tell the order of the changes of one turn.
      const changeEvents = changes.map((change, at) => alertEvent(rule, change, now() + at));
      const events = [...changeEvents, ...(readable?.events ?? [])];
      const options = {
        revision: stored.revision,
        nextEnd: isSettled ? await sums.firstEnd(rule, nextEnd) : nextEnd,
        changes,
        events,
      };
      const alertWindows = lastStep?.alertWindows ?? stored.alertWindows;
      // Windows that this turn has not reached stay noted: what is evaluated of them later is late, too.
      const waiting = [...stored.late].filter((end) => end > (lastEnd ?? windowEnd));
      const lateEnds = new Set([...late.remaining, ...waiting]);
      const after = { state, evaluation, gaps, late: lateEnds, alertWindows, unread };
      return (await states.put(project, id, after, options)) ? changes.length : tryAgain;
    },
  );
};

const noAlert: StoredAlert = { stored: null, rule: null };

/** Groups rules as they are read. */
const groupsOf = async function* (due: AsyncIterable<RuleId>): AsyncGenerator<readonly RuleId[]> {
  let group: RuleId[] = [];
  for await (const each of due) {
    group.push(each);
    if (group.length < groupSize) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
};

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
  let [alerts, transitions] = [0, 0];
  const turns = await inTurns(
    groupsOf(states.due(begin)),
    async (ids) => {
      const stored = await readAlerts(dependencies, ids);
      alerts += ids.length;
      const works = ids.map((ruleId, index) => ({ ruleId, alert: stored[index] ?? noAlert }));
      const isNew = ({ alert }: (typeof works)[number]): boolean => alert.stored?.state.windowEnd === 0;
      const evaluateOne = async ({ ruleId, alert }: (typeof works)[number]): Promise<void> => {
        transitions += await evaluateRule(dependencies, ruleId, alert);
      };
      await awaitAll(works.filter((each) => !isNew(each)).map(evaluateOne));
      // Of a new rule rows are read: one rule after the other, and what takes too long in the next sweep.
      for (const each of works.filter(isNew)) if (now() <= begin + newRuleMilliseconds) await evaluateOne(each);
    },
    { until: begin + milliseconds, now, concurrency: concurrentGroups },
  );
  throwFailures(turns, "Groups with alert rules that could not be evaluated");
  return { alerts, transitions };
};
