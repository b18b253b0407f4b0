import * as v from "valibot";
import { alertFields } from "../../domain/alerts/fields.ts";
import { maxAlerts, windowLength, type AlertRule } from "../../domain/alerts/rule.ts";
import type { PendingEvent } from "../../domain/event.ts";
import { parseLossless } from "../../domain/json.ts";
import { noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { Refusal } from "../../domain/refusal.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { failedConditions } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import { storedForm } from "../../dynamo/stored-form.ts";
import { throwUnavailable, tryAgain, withRetries } from "../../dynamo/with-retries.ts";
import { faultFields, logLine } from "../../log.ts";
import { alertCountKey, historyOf, ruleKey, rulesOf, stateKey } from "./keys.ts";
import { outboxWrite } from "../events/outbox.ts";
import {
  alertStateStore,
  clearedState,
  clearingOf,
  dueAlertFields,
  historyWrite,
  ifStateUnchanged,
  packState,
  type RuleId,
  type Transition,
} from "./states.ts";

const settingsForm = storedForm(alertFields);

/** Loose schema: properties that a later version of the service added stay with the rule when it is changed. */
const storedRule = v.looseObject({
  id: v.string(),
  projectId: v.string(),
  settings: settingsForm.schema,
  generation: v.number(),
  anchor: v.number(),
  createdAt: v.string(),
  updatedAt: v.string(),
  bodyHash: v.exactOptional(v.string()),
});

const unpackRule = (item: unknown): AlertRule =>
  v.parse(storedRule, parseLossless(v.parse(v.object({ d: v.string() }), item).d));

/** Returns the rule in an item; none, with a log line, if it cannot be read. */
const readable = (item: Record<string, unknown>): readonly AlertRule[] => {
  try {
    return [unpackRule(item)];
  } catch (error) {
    const [partition, rule] = [String(item["pk"]), String(item["sk"])];
    logLine("alert_rule_unreadable", { partition, rule, ...faultFields(error) });
    return [];
  }
};

const itemOf = (rule: AlertRule) => ({
  ...ruleKey(rule.projectId, rule.id),
  d: JSON.stringify({ ...rule, settings: settingsForm.write(rule.settings) }),
});

/** Builds the event of an alert that is cleared as its rule is paused or deleted. */
type ClearingEvent = (rule: AlertRule, change: Transition) => PendingEvent;

/** Store of the alert rules of projects. */
export const alertRules = (database: Database, now: () => number = Date.now) => {
  const monitors = itemsOf(database, "monitors");
  const states = alertStateStore(database, now);

  const get = async (project: string, id: string): Promise<AlertRule | null> => {
    const item = await monitors.get(ruleKey(project, id));
    return item === undefined ? null : unpackRule(item);
  };

  return {
    get,

    /** Reads some rules, strongly consistent, by their ids; one that does not exist or cannot be read is left out. */
    many: async (ids: readonly RuleId[]): Promise<ReadonlyMap<string, AlertRule>> => {
      const keys = ids.map(({ project, id }) => ruleKey(project, id));
      const items = await batchGet(database, "monitors", keys);
      return new Map(items.flatMap(readable).map((rule) => [rule.id, rule]));
    },

    /**
     * Lists a project's rules, in no particular order; may lag writes by seconds. A rule that cannot be read, for example of
     * a later version, is left out with a log line, so that it holds up no other one.
     */
    list: async (project: string): Promise<readonly AlertRule[]> => {
      const rules: AlertRule[] = [];
      for await (const item of monitors.query({ ...rulesOf(project), strongly: false })) rules.push(...readable(item));
      return rules;
    },

    /**
     * Stores a new rule, which is first evaluated at the begin of its first window.
     *
     * @returns the stored rule; for a repeated request the existing one.
     * @throws Refusal `forbidden` when the project has its maximum of rules; and the refusals of `repeat.checkReplay`.
     */
    create: (newRule: AlertRule, repeat: IdempotencyCheck = noIdempotency): Promise<AlertRule> => {
      const rule = repeat.bodyHash === null ? newRule : { ...newRule, bodyHash: repeat.bodyHash };
      const { projectId: project, id, anchor } = rule;
      const writes = [
        { put: itemOf(rule), when: ifAbsent },
        {
          update: alertCountKey(project),
          change: "ADD n :one",
          when: "attribute_not_exists(n) OR n < :most",
          values: { ":one": 1, ":most": maxAlerts },
        },
        { put: { ...stateKey(project, id), rev: 0, ...dueAlertFields(anchor, now()) } },
      ] as const;
      const busy = throwUnavailable("The project's alert rules are being changed by many requests. Try again.");
      return withRetries(requestRetryPolicy, busy, async () => {
        const failedWrites = await failedConditions(monitors.transact(writes));
        if (failedWrites.size === 0) return rule;
        const existing = await get(project, id);
        if (existing !== null) {
          repeat.checkReplay(existing.bodyHash ?? null);
          return existing;
        }
        if (!failedWrites.has(1)) return tryAgain;
        throw new Refusal({
          kind: "forbidden",
          detail: `A project has at most ${maxAlerts} alert rules. Delete a rule first.`,
        });
      });
    },

    /**
     * Changes a rule, and makes it due: at once, or after the first window if its windows begin anew. `change` is called
     * again when another writer was faster. A pause clears the rule's alert.
     *
     * @returns the changed rule; null when it does not exist.
     */
    change: (
      project: string,
      id: string,
      change: (rule: AlertRule) => AlertRule,
      eventOf: ClearingEvent,
    ): Promise<AlertRule | null> => {
      const busy = throwUnavailable("The alert rule is being changed by many requests. Try again.");
      return withRetries(requestRetryPolicy, busy, async () => {
        const item = await monitors.get(ruleKey(project, id));
        if (item === undefined) return null;
        const before = unpackRule(item);
        const after = change(before);
        const firstEnd = after.anchor + windowLength(after.settings.window);
        const { due_key, due_at } = dueAlertFields(after.generation === before.generation ? 0 : firstEnd, now());
        const stored = before.settings.enabled && !after.settings.enabled ? await states.get(project, id) : null;
        const clearing = clearingOf(stored, "The rule was paused.", now());
        const failedWrites = await failedConditions(
          monitors.transact([
            { put: itemOf(after), when: "d = :before", values: { ":before": item["d"] } },
            {
              update: stateKey(project, id),
              change: `SET due_key = :key, due_at = :at${clearing === null ? "" : ", d = :state"} ADD rev :one`,
              ...(stored !== null && { when: "rev = :rev" }),
              values: {
                ":key": due_key,
                ":at": due_at,
                ":one": 1,
                ":rev": stored?.revision,
                ":state": clearing && stored && packState(clearedState(stored.state, now()), clearing.evaluation),
              },
            },
            ...(clearing === null
              ? []
              : [historyWrite(project, id, clearing, now()), outboxWrite(eventOf(after, clearing))]),
          ]),
        );
        return failedWrites.size === 0 ? after : tryAgain;
      });
    },

    /** Deletes a rule, its state and its history, and clears its alert. @returns false when it does not exist. */
    delete: async (project: string, id: string, eventOf: ClearingEvent): Promise<boolean> => {
      const busy = throwUnavailable("The alert rule is being changed by many requests. Try again.");
      const isDeleted = await withRetries(requestRetryPolicy, busy, async () => {
        const item = await monitors.get(ruleKey(project, id));
        if (item === undefined) return false;
        const stored = await states.get(project, id);
        const clearing = clearingOf(stored, "The rule was deleted.", now());
        const failedWrites = await failedConditions(
          monitors.transact([
            { remove: ruleKey(project, id), when: "attribute_exists(pk)" },
            { update: alertCountKey(project), change: "ADD n :minus", values: { ":minus": -1 } },
            { remove: stateKey(project, id), ...ifStateUnchanged(stored) },
            ...(clearing === null ? [] : readable(item).map((rule) => outboxWrite(eventOf(rule, clearing)))),
          ]),
        );
        return failedWrites.size === 0 || tryAgain;
      });
      if (!isDeleted) return false;
      for await (const { pk, sk } of monitors.query(historyOf(project, id))) await monitors.remove({ pk, sk });
      return true;
    },
  };
};

export type AlertRules = ReturnType<typeof alertRules>;
