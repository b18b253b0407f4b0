import type { JsonObject } from "../../domain/json.ts";
import type { Repeat } from "../../domain/repeat.ts";
import { instantAt } from "../../domain/instant.ts";
import { modelId, resolveModel } from "../../domain/runs/model.ts";
import { checkTargetCount } from "../../domain/runs/checks.ts";
import type { Run, RunOrder, RunTarget, TargetType } from "../../domain/runs/run.ts";
import type { Tier } from "../../domain/runs/tier.ts";
import { sample } from "../../domain/runs/sample.ts";
import type { CreateRun } from "../../store/runs/creation.ts";
import type { MatchingTarget } from "./matching-targets.ts";

/** A run that somebody wants, apart from its targets. */
export interface RunRequest {
  readonly id: string;
  readonly projectId: string;
  readonly name: string | null;
  readonly targetType: TargetType;
  readonly metrics: readonly string[];
  readonly model: string | null;
  readonly signalWeights: RunOrder["signalWeights"];
  readonly maxCostUsd: number | null;
  /** Null means the default. */
  readonly tier: Tier | null;
}

/** A run of what filters selected. */
export interface FilteredRequest extends RunRequest {
  /** As sent. */
  readonly filters: JsonObject;
  readonly samplingRate: number;
  readonly monitorId: string | null;
}

/** A run of listed targets. */
interface ListedRequest extends RunRequest {
  readonly sequential: boolean;
  readonly retryOf: string | null;
}

export interface RunStart {
  /** A sample of what matched. @throws Refusal `invalid` when it has too many targets. */
  chosen(matching: readonly MatchingTarget[], samplingRate: number): readonly MatchingTarget[];
  /** Samples what matched, freezes it and creates the run. @throws Refusal `invalid` when there are too many targets. */
  filtered(request: FilteredRequest, matching: readonly MatchingTarget[], repeat?: Repeat): Promise<Run>;
  /** Creates a run of exactly these targets. */
  listed(request: ListedRequest, targets: readonly RunTarget[], repeat?: Repeat): Promise<Run>;
}

export interface StartParts {
  readonly createRun: CreateRun;
  /** Judge of a run that names none, `<provider>/<model>`. */
  readonly defaultModel: string;
  readonly defaultTier: Tier;
  /** Targets that a run may have after sampling. */
  readonly maxTargets: number;
  readonly now: () => number;
}

const nouns = { TRACE: "traces", SESSION: "sessions" } as const;

const emptyMessage = (targetType: TargetType, matching: number, chosen: number): string | null => {
  if (matching === 0) return `No ${nouns[targetType]} match the provided filters.`;
  return chosen === 0 ? `The sampling rate of 0 selects no ${nouns[targetType]}.` : null;
};

/** Runs as they come into being, whoever asks for them. The same id twice is one run. */
export const runStart = ({ createRun, defaultModel, defaultTier, maxTargets, now }: StartParts): RunStart => {
  const judged = ({ model, tier }: RunRequest) => {
    const resolved = resolveModel(model ?? defaultModel);
    return {
      resolvedModel: resolved === null ? defaultModel : modelId(resolved),
      tier: tier ?? defaultTier,
      createdAt: instantAt(now()),
    };
  };
  const chosen: RunStart["chosen"] = (matching, samplingRate) => {
    const targets = sample(matching, samplingRate);
    checkTargetCount(targets.length, maxTargets);
    return targets;
  };
  return {
    chosen,

    filtered: async (request, matching, repeat) => {
      const targets = chosen(matching, request.samplingRate);
      const order: RunOrder = {
        ...request,
        ...judged(request),
        retryOf: null,
        sequential: false,
        total: targets.length,
        emptyMessage: emptyMessage(request.targetType, matching.length, targets.length),
      };
      return await createRun(
        order,
        targets.map(({ id, traces }) => ({ id, metrics: null, traces })),
        repeat,
      );
    },

    listed: async (request, targets, repeat) => {
      const order: RunOrder = {
        ...request,
        ...judged(request),
        filters: {},
        samplingRate: 1,
        monitorId: null,
        total: targets.length,
        emptyMessage: null,
      };
      return await createRun(order, targets, repeat);
    },
  };
};
