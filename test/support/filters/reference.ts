/** Reference implementation of trace filters on plain data, without code of the service. */

interface Score {
  readonly name: string;
  readonly value: string;
  readonly type: "NUMERIC" | "BOOLEAN" | "CATEGORICAL";
}

/** A trace as sent; its cost and tokens are those of its single model span. */
export interface SentTrace {
  readonly id: string;
  readonly name: string;
  readonly startMs: number;
  readonly latencyMs: number | null;
  readonly failed: boolean;
  readonly cost: number;
  readonly tokens: number;
  readonly model: string | null;
  readonly tools: readonly string[];
  readonly failedTools: number;
  readonly release: string | null;
  readonly environment: string | null;
  readonly session: string | null;
  readonly user: string | null;
  readonly tags: readonly string[];
  /** Prompts of the spans. */
  readonly prompts: readonly { readonly name: string; readonly version: string }[];
  readonly experiment: string | null;
  readonly firstError: string | null;
  readonly item: string | null;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** The newest score of each name. */
  readonly scores: readonly Score[];
}

/** Trace filters by parameter name; every condition of a list must hold. */
export interface ReferenceFilters {
  /** Instants in JavaScript's ISO format. */
  readonly date_from?: string;
  readonly date_to?: string;
  readonly status?: "ERROR" | "COMPLETED";
  readonly user_id?: string;
  readonly session_id?: string;
  /** Tags of which at least one must match. */
  readonly tags?: readonly string[];
  /** Substring of the trace's name. */
  readonly name?: string;
  readonly has_error?: boolean;
  readonly has_failed_span?: boolean;
  readonly min_latency_ms?: number;
  readonly max_latency_ms?: number;
  readonly min_cost?: number;
  readonly max_cost?: number;
  readonly min_tokens?: number;
  readonly max_tokens?: number;
  readonly model?: string;
  readonly tool?: string;
  readonly release?: string;
  readonly environment?: string;
  readonly has_session?: boolean;
  readonly prompt_name?: string;
  readonly prompt_version?: string;
  readonly experiment?: string;
  readonly experiment_item_id?: string;
  readonly first_error?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly score?: readonly { readonly name: string; readonly operator: string; readonly value: string }[];
  readonly no_score?: readonly string[];
}

const meets = (
  scores: readonly Score[],
  { name, operator, value }: NonNullable<ReferenceFilters["score"]>[number],
): boolean => {
  const newestScore = scores.find((score) => score.name === name);
  if (newestScore === undefined) return false;
  const isTrue = newestScore.value === "true";
  const scoreNumber = newestScore.type === "BOOLEAN" ? Number(isTrue) : Number(newestScore.value);
  const threshold = Number(value);
  const areNumbers = newestScore.type !== "CATEGORICAL" && value !== "" && !Number.isNaN(threshold);
  switch (operator) {
    case "<":
      return areNumbers && scoreNumber < threshold;
    case "<=":
      return areNumbers && scoreNumber <= threshold;
    case ">":
      return areNumbers && scoreNumber > threshold;
    case ">=":
      return areNumbers && scoreNumber >= threshold;
    default: {
      const isEqual = areNumbers ? scoreNumber === threshold : newestScore.value === value;
      return operator === "=" ? isEqual : !isEqual;
    }
  }
};

export const scoresFit = (scores: readonly Score[], { score = [], no_score = [] }: ReferenceFilters): boolean =>
  score.every((condition) => meets(scores, condition)) &&
  no_score.every((name) => scores.every((each) => each.name !== name));

const within = (value: number | null, min: number | undefined, max: number | undefined): boolean => {
  if (min === undefined && max === undefined) return true;
  return value !== null && value >= (min ?? 0) && value <= (max ?? Number.MAX_VALUE);
};

export const amountsFit = (
  { latencyMs, cost, tokens }: Pick<SentTrace, "latencyMs" | "cost" | "tokens">,
  filters: ReferenceFilters,
): boolean =>
  within(latencyMs, filters.min_latency_ms, filters.max_latency_ms) &&
  within(cost, filters.min_cost, filters.max_cost) &&
  within(tokens, filters.min_tokens, filters.max_tokens);

/** True if a trace matches the text filters. */
export const wordsFit = (trace: SentTrace, filters: ReferenceFilters): boolean =>
  (filters.date_from === undefined || trace.startMs >= Date.parse(filters.date_from)) &&
  (filters.date_to === undefined || trace.startMs < Date.parse(filters.date_to)) &&
  (filters.user_id === undefined || trace.user === filters.user_id) &&
  (filters.tags === undefined || filters.tags.some((tag) => trace.tags.includes(tag))) &&
  (filters.model === undefined || trace.model === filters.model) &&
  (filters.tool === undefined || trace.tools.includes(filters.tool)) &&
  (filters.release === undefined || trace.release === filters.release) &&
  (filters.environment === undefined || trace.environment === filters.environment) &&
  (filters.experiment === undefined || trace.experiment === filters.experiment) &&
  (filters.experiment_item_id === undefined || trace.item === filters.experiment_item_id) &&
  (filters.first_error === undefined || trace.firstError === filters.first_error) &&
  ((filters.prompt_name ?? filters.prompt_version) === undefined ||
    trace.prompts.some(
      ({ name, version }) => name === (filters.prompt_name ?? name) && version === (filters.prompt_version ?? version),
    )) &&
  Object.entries(filters.metadata ?? {}).every(([key, value]) => String(trace.metadata[key]) === value);

/** True if a trace or one of its tool calls failed. */
export const hasFailure = ({ failed, failedTools }: SentTrace): boolean => failed || failedTools > 0;

export const traceFits = (trace: SentTrace, filters: ReferenceFilters): boolean =>
  wordsFit(trace, filters) &&
  amountsFit(trace, filters) &&
  scoresFit(trace.scores, filters) &&
  (filters.status === undefined || (trace.failed ? "ERROR" : "COMPLETED") === filters.status) &&
  (filters.session_id === undefined || trace.session === filters.session_id) &&
  (filters.name === undefined || trace.name.toLowerCase().includes(filters.name.toLowerCase())) &&
  (filters.has_error === undefined || hasFailure(trace) === filters.has_error) &&
  (filters.has_failed_span === undefined || hasFailure(trace) === filters.has_failed_span) &&
  (filters.has_session === undefined || (trace.session !== null) === filters.has_session);

/** Whether a trace counts for users and in analytics, whose errors are traces that failed themselves. */
export const countFits = (trace: SentTrace, { has_error: hasError, ...filters }: ReferenceFilters): boolean =>
  traceFits(trace, filters) && (hasError === undefined || trace.failed === hasError);
