/** What filters mean, written once more: plain data, no code of the service. */

interface Score {
  readonly name: string;
  readonly value: string;
  readonly type: "NUMERIC" | "BOOLEAN" | "CATEGORICAL";
}

/** A trace as it was sent; costs and tokens are those of its one span of a model. */
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
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** The newest of each name. */
  readonly scores: readonly Score[];
}

/** Filters by their names; lists are all to hold. */
export interface Asked {
  /** Instants, as JavaScript writes them. */
  readonly date_from?: string;
  readonly date_to?: string;
  readonly status?: "ERROR" | "COMPLETED";
  readonly user_id?: string;
  readonly session_id?: string;
  /** Any of these. */
  readonly tags?: readonly string[];
  /** Part of the name. */
  readonly name?: string;
  readonly has_error?: boolean;
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
  readonly metadata?: Readonly<Record<string, string>>;
  readonly score?: readonly { readonly name: string; readonly operator: string; readonly value: string }[];
  readonly no_score?: readonly string[];
}

const meets = (scores: readonly Score[], { name, operator, value }: NonNullable<Asked["score"]>[number]): boolean => {
  const found = scores.find((score) => score.name === name);
  if (found === undefined) return false;
  const [own, wanted] = [Number(found.value), Number(value)];
  const areNumbers = found.type === "NUMERIC" && value !== "" && !Number.isNaN(wanted);
  switch (operator) {
    case "<":
      return areNumbers && own < wanted;
    case "<=":
      return areNumbers && own <= wanted;
    case ">":
      return areNumbers && own > wanted;
    case ">=":
      return areNumbers && own >= wanted;
    default: {
      const isEqual = areNumbers ? own === wanted : found.value === value;
      return operator === "=" ? isEqual : !isEqual;
    }
  }
};

export const scoresFit = (scores: readonly Score[], { score = [], no_score = [] }: Asked): boolean =>
  score.every((one) => meets(scores, one)) && no_score.every((name) => scores.every((each) => each.name !== name));

const within = (value: number | null, least: number | undefined, most: number | undefined): boolean => {
  if (least === undefined && most === undefined) return true;
  return value !== null && value >= (least ?? 0) && value <= (most ?? Number.MAX_VALUE);
};

export const amountsFit = (
  { latencyMs, cost, tokens }: Pick<SentTrace, "latencyMs" | "cost" | "tokens">,
  asked: Asked,
): boolean =>
  within(latencyMs, asked.min_latency_ms, asked.max_latency_ms) &&
  within(cost, asked.min_cost, asked.max_cost) &&
  within(tokens, asked.min_tokens, asked.max_tokens);

/** Whether the words of a trace are those that are asked for. */
export const wordsFit = (trace: SentTrace, asked: Asked): boolean =>
  (asked.date_from === undefined || trace.startMs >= Date.parse(asked.date_from)) &&
  (asked.date_to === undefined || trace.startMs < Date.parse(asked.date_to)) &&
  (asked.user_id === undefined || trace.user === asked.user_id) &&
  (asked.tags === undefined || asked.tags.some((tag) => trace.tags.includes(tag))) &&
  (asked.model === undefined || trace.model === asked.model) &&
  (asked.tool === undefined || trace.tools.includes(asked.tool)) &&
  (asked.release === undefined || trace.release === asked.release) &&
  (asked.environment === undefined || trace.environment === asked.environment) &&
  Object.entries(asked.metadata ?? {}).every(([key, value]) => String(trace.metadata[key]) === value);

export const traceFits = (trace: SentTrace, asked: Asked): boolean =>
  wordsFit(trace, asked) &&
  amountsFit(trace, asked) &&
  scoresFit(trace.scores, asked) &&
  (asked.status === undefined || (trace.failed ? "ERROR" : "COMPLETED") === asked.status) &&
  (asked.session_id === undefined || trace.session === asked.session_id) &&
  (asked.name === undefined || trace.name.toLowerCase().includes(asked.name.toLowerCase())) &&
  (asked.has_error === undefined || (trace.failed || trace.failedTools > 0) === asked.has_error) &&
  (asked.has_session === undefined || (trace.session !== null) === asked.has_session);
