import type { IdempotencyCheck } from "../../domain/idempotency-check.ts";
import type { PendingEvent } from "../../domain/event.ts";
import { instantAt } from "../../domain/instant.ts";
import type { JsonObject } from "../../domain/json.ts";
import { checkTargetCount } from "../../domain/runs/checks.ts";
import { modelId, resolveModel } from "../../domain/runs/model.ts";
import { newRun, type Run, type RunOrder, type RunTarget, type TargetType } from "../../domain/runs/run.ts";
import { sample } from "../../domain/runs/sample.ts";
import type { ServiceTier } from "../../domain/runs/tier.ts";
import { logLine } from "../../log.ts";
import type { CreateRun } from "../../store/runs/creation.ts";
import type { Runs } from "../../store/runs/runs.ts";
import type { MatchingTarget } from "./matching-targets.ts";

/** The idempotency of a request that creates a run. */
export interface RunCreationRequest {
  /** True if the run's id is random: the request cannot be a replay. */
  readonly hasRandomIds: boolean;
  readonly idempotency: IdempotencyCheck;
}

/**
 * Returns the run that an earlier delivery of the same request created, as it was first returned. Targets are not searched
 * or validated again, since they may have changed.
 *
 * @returns the run; null if the request is new.
 * @throws Refusal `invalid` when the idempotency key was used with a different body.
 */
export const findReplayedRun = async (
  runs: Pick<Runs, "read">,
  { hasRandomIds, idempotency }: RunCreationRequest,
  project: string,
  id: string,
): Promise<Run | null> => {
  const storedRun = hasRandomIds ? null : await runs.read(project, id);
  if (storedRun === null || storedRun.isCreating) return null;
  idempotency.checkReplay(storedRun.bodyHash);
  return newRun(storedRun.run.order);
};

/** Settings of a requested run, without its targets. */
export interface RunRequest {
  readonly id: string;
  readonly projectId: string;
  readonly name: string | null;
  readonly targetType: TargetType;
  readonly metrics: readonly string[];
  /** Judge model as requested; the first one of `judge`. */
  readonly model: string | null;
  /** The judges if they are two. */
  readonly judge?: RunOrder["judge"];
  readonly signalWeights: RunOrder["signalWeights"];
  readonly maxCostUsd: number | null;
  /** Service tier of the judge calls; null for the default. */
  readonly tier: ServiceTier | null;
}

/** A requested run of the targets that match filters. */
export interface FilteredRequest extends RunRequest {
  /** Filters as sent in the request. */
  readonly filters: JsonObject;
  readonly samplingRate: number;
  readonly monitorId: string | null;
}

/** A requested run of explicitly listed targets. */
interface ListedRequest extends RunRequest {
  readonly sequential: boolean;
  readonly retryOf: string | null;
  readonly retriedMonitorId?: string;
}

export interface RunStart {
  /** Returns a sample of the matching targets. @throws Refusal `invalid` when the sample has too many targets. */
  sample(matching: readonly MatchingTarget[], samplingRate: number): readonly MatchingTarget[];
  /** Creates a run of a sample of the matching targets, with the event about it, if any. @throws Refusal `invalid` when the sample has too many targets. */
  startFiltered(
    request: FilteredRequest,
    matching: readonly MatchingTarget[],
    idempotency?: IdempotencyCheck,
    event?: PendingEvent,
  ): Promise<Run>;
  /** Creates a run of the listed targets, without sampling. */
  startListed(request: ListedRequest, targets: readonly RunTarget[], idempotency?: IdempotencyCheck): Promise<Run>;
}

export interface StartDependencies {
  readonly createRun: CreateRun;
  /** Judge model of runs that name none, as `<provider>/<model>`. */
  readonly defaultModel: string;
  readonly defaultTier: ServiceTier;
  /** Max targets of a run after sampling. */
  readonly maxTargets: number;
  readonly now: () => number;
}

const nouns = { TRACE: "traces", SESSION: "sessions" } as const;

const emptyMessage = (targetType: TargetType, matching: number, sample: number): string | null => {
  if (matching === 0) return `No ${nouns[targetType]} match the provided filters.`;
  return sample === 0 ? `The sampling rate of 0 selects no ${nouns[targetType]}.` : null;
};

/** Creates runs for API requests and monitors. Idempotent: the same run id creates one run. */
export const runStart = ({ createRun, defaultModel, defaultTier, maxTargets, now }: StartDependencies): RunStart => {
  const resolvedSettings = ({ model, tier }: RunRequest) => {
    const resolved = resolveModel(model ?? defaultModel);
    return {
      resolvedModel: resolved === null ? defaultModel : modelId(resolved),
      tier: tier ?? defaultTier,
      createdAt: instantAt(now()),
    };
  };
  const create: CreateRun = async (order, ...rest) => {
    const run = await createRun(order, ...rest);
    logLine("run_created", { run_id: order.id, monitor_id: order.monitorId ?? undefined, targets: order.total });
    return run;
  };
  const sampleTargets: RunStart["sample"] = (matching, samplingRate) => {
    const targets = sample(matching, samplingRate);
    checkTargetCount(targets.length, maxTargets);
    return targets;
  };
  return {
    sample: sampleTargets,

    startFiltered: async (request, matching, idempotency, event) => {
      const targets = sampleTargets(matching, request.samplingRate);
      const order: RunOrder = {
        ...request,
        ...resolvedSettings(request),
        retryOf: null,
        sequential: false,
        total: targets.length,
        emptyMessage: emptyMessage(request.targetType, matching.length, targets.length),
      };
      return await create(
        order,
        targets.map(({ id, traces }) => ({ id, metrics: null, traces })),
        idempotency,
        event,
      );
    },

    startListed: async (request, targets, idempotency) => {
      const order: RunOrder = {
        ...request,
        ...resolvedSettings(request),
        filters: {},
        samplingRate: 1,
        monitorId: null,
        total: targets.length,
        emptyMessage: null,
      };
      return await create(order, targets, idempotency);
    },
  };
};
