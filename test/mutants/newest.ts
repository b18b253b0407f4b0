import { mutantsOf, type Mutant } from "./mutant.ts";

const [compare, estimate] = ["lib/domain/statistics/compare.ts", "lib/domain/statistics/estimate.ts"];
const observation = "lib/domain/statistics/observation.ts";
const [state, evaluate] = ["lib/domain/alerts/state.ts", "lib/domain/alerts/evaluate.ts"];
const [states, lateWindows] = ["lib/store/alerts/states.ts", "lib/domain/alerts/late-windows.ts"];
const fold = "lib/stream/alert-changes.ts";
const evaluateAlerts = "lib/maintenance/evaluate-alerts.ts";
const [judge, escalation] = ["lib/judge/decision/decision-judge.ts", "lib/judge/decision/escalation.ts"];

/** Mutants of intervals and comparisons. */
export const statistics: readonly Mutant[] = [
  {
    without: "the dependence of observations in one cluster",
    file: observation,
    changes: [
      ["sums.get(cluster)", 'sums.get("")'],
      ["sums.set(cluster,", "sums.set(String(sums.size),"],
    ],
    caughtBy: ["test/unit/domain/statistics"],
  },
  ...mutantsOf(observation, ["test/unit/domain/statistics/oracles.test.ts"], {
    "the correction of a variance for few clusters": ["clusters / (clusters - 1)", "1 + 0 * clusters"],
    "the price of few degrees of freedom in an effective count": ["designEffect / widening ** 2", "designEffect"],
  }),
  {
    without: "Student's distribution in a mean's interval: it is the normal one",
    file: estimate,
    changes: [["quantileOfT(upper, clusters - 1)", "quantileOfT(upper, 1e9)"]],
    caughtBy: ["test/unit/domain/statistics/oracles.test.ts"],
  },
  {
    without: "the correlation of sides that share sessions",
    file: compare,
    changes: [["- 2 * correlation * a * b", ""]],
    caughtBy: ["test/unit/domain/statistics/oracles.test.ts"],
  },
  {
    without: "an observation of 0 and one of 1 that give equal scores a variance",
    file: observation,
    changes: [["(total + 1) / (count + 2)", "total / count"]],
    caughtBy: ["test/unit/domain/statistics/verdict.test.ts"],
  },
  ...mutantsOf(compare, ["test/unit/domain/statistics/verdict.test.ts"], {
    "the values unlike the commonest that a verdict on sessions needs": ["hasSessions ? minUnlike : ", ""],
    "the limit of missing items with which a verdict is given": ["missingShare > maxMissingShare", "missingShare > 1"],
    "the whole interval in the verdict `not_worse`: the difference decides": [
      "return lower >= -maxDrop",
      "return (lower + upper) / 2 >= -maxDrop",
    ],
  }),
];

/** Mutants of alert rules. */
export const alerts: readonly Mutant[] = [
  ...mutantsOf(state, ["test/unit/domain/alerts/state.test.ts"], {
    "two calm windows before an alert is cleared: one is enough": [
      "const clearingWindows = 2",
      "const clearingWindows = 1",
    ],
    "the difference of a window that is evaluated again: it counts as calm": [
      "  if (isRepeated) return { state: before, transition: null };\n",
      "",
    ],
    "the time between reminders": ["windowEnd - notifiedAt >= windowLength(repeatEvery)", "windowEnd > notifiedAt"],
  }),
  ...mutantsOf(evaluate, ["test/unit/domain/alerts/evaluate.test.ts"], {
    "the minimum count of a rule's window": ["count < condition.minimum_count", "count < 0"],
    "the significance of a threshold: the value decides": [
      "rounded(interval.upper) < threshold, threshold",
      "value < threshold, threshold",
    ],
    "the minimum count of a baseline": [
      "observationCount(baseline) < Math.max(1, condition.minimum_count)",
      "observationCount(baseline) < 1",
    ],
  }),
  {
    without: "the sequence number of the last record that a window's sum contains",
    file: "lib/store/alerts/sums.ts",
    changes: [["before === null || sequence > before.seq", "sequence >= 0n"]],
    caughtBy: ["test/store/alerts/scores.test.ts"],
  },
  {
    without: "evaluating an ended window again when its data change",
    file: "lib/store/alerts/sums.ts",
    changes: [["armedWindows.has(prefix) && end > now()", "armedWindows.has(prefix)"]],
    caughtBy: ["test/store/alerts/changes.test.ts"],
  },
  ...mutantsOf(states, ["test/store/alerts/late.test.ts"], {
    "noting a window whose sums change after its end": ['", late :ends", { ":ends": new Set([end]) }', '"", {}'],
    "the windows of an earlier version, of which any may have been an alert": [
      "d === undefined ? 0n : unknownWindows",
      "0n",
    ],
  }),
  {
    without: "the memory of windows that were alerts: each may raise a second one",
    file: "lib/domain/alerts/evaluate-windows.ts",
    changes: [["settings, wasAlert(alertWindows, age))", "settings, wasAlert(0n, age))"]],
    caughtBy: ["test/store/alerts/late.test.ts"],
  },
  ...mutantsOf(lateWindows, ["test/store/alerts/late.test.ts"], {
    "evaluating the window that is compared with one that changed late": ["[end, 2 * end - reference]", "[end]"],
    "the late windows that are left for the next turn": ["evaluatedEnds.slice(maxLateWindows)", "[]"],
  }),
  ...mutantsOf(evaluateAlerts, ["test/store/alerts/late.test.ts"], {
    "the end of a baseline's sums: it is compared with what is left of them": [
      "gaps.has(end) || end <= now() - keptSumMilliseconds",
      "gaps.has(end)",
    ],
    "the window after a late one that clears its alert: the rule is due no more": [
      '(lastEnd > windowEnd || state.name !== "ALERT")',
      "lastEnd > 0",
    ],
    "the time in which data are on time: those of an ended window are late": [
      "stored.late.has(end) && now() > end + promptMilliseconds",
      "stored.late.has(end)",
    ],
  }),
  {
    without: "the state before the last window where a rule is due no more: the stored one decides",
    file: evaluateAlerts,
    changes: [["[steps.at(-2)?.state ?? stored.state, lastStep", "[stored.state, lastStep"]],
    caughtBy: ["test/store/slow/alerts/long-traces.test.ts"],
  },
  {
    without: "evaluating a rule again after a record whose worker died before it said so",
    file: "lib/store/alerts/sums.ts",
    changes: [["newChanges.length === changes.length && isNothing", "isNothing"]],
    caughtBy: ["test/store/alerts/late.test.ts"],
  },
  ...mutantsOf(evaluateAlerts, ["test/store/alerts/first-window.test.ts"], {
    "the window before a new rule": ["(state.windowEnd === 0 ? 0 : length)", "length"],
    "the limit of rows that are read for a new rule: too many are as none": [
      " || (unreadReason !== null && end === rule.anchor)",
      "",
    ],
    "the time that new rules take of a sweep": ["if (now() <= begin + newRuleMilliseconds) await", "await"],
  }),
  ...mutantsOf(fold, ["test/store/alerts/scores.test.ts"], {
    "the memory of the rules that count a score of a deleted trace": [
      "if (stored !== null) return",
      "if (stored !== null && !isRemoved) return",
    ],
    "the order of a removed score's sums and of what is remembered of it": [
      "removals.push([project, score.id])",
      "await matches.remove(project, score.id)",
    ],
    "the difference of a score that counts only since it was edited: what did not count is taken back": [
      "decided?.isNew === true && !isForgotten ? null : before",
      "before",
    ],
    "the record by which a score counts: delivered again it counts no more": [
      "isNew: stored.sequence === sequence",
      "isNew: false",
    ],
    "announcing a low score later whose trace cannot be read": [
      "Array.from(unread, ([rule, ids])",
      "Array.from(new Map<AlertRule, Set<string>>(), ([rule, ids])",
    ],
  }),
  {
    without: "a rule that stays due while traces of its low scores cannot be read",
    file: evaluateAlerts,
    changes: [["late.remaining.size + unread.size === 0", "late.remaining.size === 0"]],
    caughtBy: ["test/store/alerts/scores.test.ts"],
  },
  {
    without: "the state of a rule that cannot be read: it is removed as a deleted one's",
    file: evaluateAlerts,
    changes: [["if ((await rules.get(project, id)) === null) await", "await"]],
    caughtBy: ["test/store/alerts/changes.test.ts"],
  },
  ...mutantsOf("lib/store/alerts/states.ts", ["test/store/alerts/changes.test.ts"], {
    "the earlier end at which a rule is already due: a later window postpones it": [
      "attribute_not_exists(due_at) OR due_at >= :at",
      "attribute_exists(pk) OR due_at >= :at",
    ],
    "making a rule due that nothing has made due before": [
      "attribute_not_exists(due_at) OR due_at >= :at",
      "due_at >= :at",
    ],
    "noting a rule's gaps again with each state: the next evaluation reads them as data": [
      "filter((end) => end > now() - keptSumMilliseconds)",
      "filter((end) => end > now())",
    ],
    "the events about all changes but the first of a rule's turn": [
      "...events.map((event) => outboxWrite(event)),",
      "...events.slice(0, 1).map((event) => outboxWrite(event)),",
    ],
  }),
  ...mutantsOf("lib/domain/alerts/evaluate-windows.ts", ["test/store/alerts/changes.test.ts"], {
    "the gaps of another window that a window is compared with": [
      " || (reference !== null && knownWindows.isGap(reference))",
      "",
    ],
  }),
  ...mutantsOf("lib/monitors/alert-event.ts", ["test/store/alerts/changes.test.ts"], {
    "the window in the id of an alert's event": ["[id, String(end), transition]", "[id, transition]"],
  }),
  ...mutantsOf("lib/store/alerts/keys.ts", ["test/store/alerts/changes.test.ts"], {
    "the kind of a change in its key: a window that clears an alert and raises one again has one entry": [
      "#${transition}`",
      "`",
    ],
  }),
  ...mutantsOf("lib/stream/alert-changes.ts", ["test/store/alerts/changes.test.ts"], {
    "the filter of the row before a change: a row that did not match is taken back": [
      "trace === null || !filter.matches(trace)",
      "trace === null || (sign === 1 && !filter.matches(trace))",
    ],
  }),
  ...mutantsOf("lib/maintenance/evaluate-alerts.ts", ["test/store/alerts/changes.test.ts"], {
    "the removal of a deleted rule's state that a worker has armed again": [
      "if ((await rules.get(project, id)) === null) await states.remove(project, id);",
      "",
    ],
  }),
  ...mutantsOf("lib/store/alerts/rules.ts", ["test/store/alerts/changes.test.ts"], {
    "the condition on the state in the pause of a rule: an alert raised meanwhile stays": [
      '...(stored !== null && { when: "rev = :rev" }),',
      "",
    ],
    "the condition on the state in the deletion of a rule: an alert raised meanwhile is never cleared": [
      "{ remove: stateKey(project, id), ...ifStateUnchanged(stored) }",
      "{ remove: stateKey(project, id) }",
    ],
  }),
  ...mutantsOf("lib/stream/monitor-run-end.ts", ["test/unit/stream/monitor-run-end.test.ts"], {
    "the targets that no longer exist in the end of a monitor's run: they failed": ["failed: failed - lost", "failed"],
    "the difference of a retry without scores: it stops the evaluation of its monitor": [
      "(key === undefined && scored === 0)",
      "(key === undefined && scored < 0)",
    ],
  }),
  ...mutantsOf("lib/monitors/note-run-ends.ts", ["test/unit/monitors"], {
    "the order of the ends of a monitor's runs": ["ends.toSorted((a, b) => a.at - b.at)", "ends"],
    "the setting by which a monitor asks for the alert that it has stopped": [
      "stored?.monitor.settings.alert_if_stopped !== true",
      "stored === null",
    ],
    "noting the end of a run again when another worker was faster": ["? null : tryAgain;", "? null : null;"],
  }),
  ...mutantsOf("lib/domain/alerts/stopped.ts", ["test/unit/domain/alerts/stopped.test.ts"], {
    "one alert for all runs of a monitor that cannot go on: each later one changes its state": [
      "isBlocked === true ? wasAlert : count === 0",
      "isBlocked === true ? false : count === 0",
    ],
  }),
  {
    without: "reading the states of rules before the rules: a former rule replaces the state of a changed one",
    file: "lib/maintenance/evaluate-alerts.ts",
    changes: [
      ["  const storedStates = await states.many(ids);\n", ""],
      [
        "  const storedRules = await rules.many(ids);\n",
        "  const storedRules = await rules.many(ids);\n  const storedStates = await states.many(ids);\n",
      ],
    ],
    caughtBy: ["test/store/alerts/changes.test.ts"],
  },
];

/** Mutants of decision judges and cascades. */
export const decisions: readonly Mutant[] = [
  ...mutantsOf(judge, ["test/api/slow/runs/decisions.test.ts"], {
    "the expense of a shared call on one verdict alone: each has it": ["    unbookedExpense = noExpense;\n", ""],
    "the place of a metric's answers in a shared call": ["      place += count;\n", ""],
  }),
  {
    without: "the reservation of a decision judge's second call",
    file: judge,
    changes: [["...(dependentMetrics.length > 0 ? [callAbout(dependentMetrics)] : [])", ""]],
    caughtBy: ["test/unit/judge/decision/reservation.test.ts"],
  },
  {
    without: "the first judge's expense in the score of the second",
    file: escalation,
    changes: [["[first.metadata, second.metadata]", "[second.metadata]"]],
    caughtBy: ["test/store/runs/cascades.test.ts"],
  },
  {
    without: "the confidence 0 of a refusal: it is not asked again",
    file: escalation,
    changes: [['verdict.code === "judge_refused"', 'verdict.code === "judge_bad_request"']],
    caughtBy: ["test/api/slow/runs/cascade.test.ts"],
  },
  {
    without: "the condition in a cascade's version",
    file: escalation,
    changes: [["{ to, when: condition, atMost }", "{ to, atMost }"]],
    caughtBy: ["test/unit/judge/decision/cascade-version.test.ts"],
  },
  {
    without: "the division of a shared call's cost by its questions",
    file: "lib/judge/decision/shared-cost.ts",
    changes: [["* member.questions) / questions", "* 1) / ofCall.length"]],
    caughtBy: ["test/unit/judge/decision/shared-cost.test.ts"],
  },
];

const cascades = ["test/store/runs/cascades.test.ts"] as const;

/** Mutants of the deliveries in which two judges are asked. */
export const deliveries: readonly Mutant[] = [
  {
    without: "a pair that is deferred, which has no part of its call's cost",
    file: "lib/judge/decision/shared-cost.ts",
    changes: [['success && verdict.kind !== "deferred" && output', "success && output"]],
    caughtBy: ["test/unit/judge/decision/shared-cost.test.ts"],
  },
  {
    without: "what all deferred pairs of a call cost: that of the first is told",
    file: "lib/evaluation/slices/target-work.ts",
    changes: [
      ["withExpenses(first.verdict.metadata, sources)", "withExpenses(first.verdict.metadata, sources.slice(0, 1))"],
    ],
    caughtBy: ["test/unit/evaluation/settle-verdicts.test.ts"],
  },
  ...mutantsOf("lib/evaluation/slices/judge-slice.ts", cascades, {
    "the end of the first judge's half of a delivery": ["now() + (deadline - now()) / 2", "deadline"],
  }),
  {
    without: "the first verdicts of a delivery that ends between the judges: they count as unfunded",
    file: "lib/evaluation/slices/escalate.ts",
    changes: [
      [
        "(second === undefined || second.unfunded) && isUnfundable()",
        "second === undefined || (second.unfunded && isUnfundable())",
      ],
    ],
    caughtBy: cascades,
  },
  ...mutantsOf("lib/evaluation/slices/trace-targets.ts", cascades, {
    "the end of a delivery between the calls of the second judge": [
      "          if (canStart()) verdicts",
      "          verdicts",
    ],
  }),
];

/** Mutants of LangSmith's protocol. */
export const langsmith: readonly Mutant[] = [
  {
    without: "a change's null fields, which leave the run as it is: they erase it",
    file: "lib/langsmith/sent-runs.ts",
    changes: [["{ ...before.run, ...presentEntries(run) }", "{ ...before.run, ...run }"]],
    caughtBy: ["test/unit/langsmith", "test/api/langsmith"],
  },
  {
    without: "the end of a LangSmith run that its SDK cuts to milliseconds: it lies before the start",
    file: "lib/langsmith/run-span.ts",
    changes: [["epochOf(end) === epochOf(startedAt) && end < startedAt ? startedAt : end", "end"]],
    caughtBy: ["test/unit/langsmith"],
  },
  {
    without: "the source of feedback: a program's is a person's",
    file: "lib/langsmith/feedback-score.ts",
    changes: [['feedback_source?.["type"] === "app"', 'feedback_source?.["type"] !== ""']],
    caughtBy: ["test/unit/langsmith"],
  },
];
