import { inTurns } from "../../async/in-turns.ts";
import { late, within } from "../../async/within.ts";
import type { CallersProject } from "../../domain/access/principal.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { SentTrace } from "../../otlp/traces-of.ts";
import { isThrottled } from "../../store/failure.ts";
import type { Traces } from "../../store/traces/save.ts";

/** How long a request takes traces in, milliseconds. */
interface TakeInTimes {
  /** After which no further trace is begun: most exporters wait for 10 s. */
  readonly begin: number;
  /** After which it is answered, whatever is still under way. */
  readonly answer: number;
}

const usualTimes: TakeInTimes = { begin: 7_000, answer: 15_000 };

/** Traces stored at a time: at 10 ms each they are twice what a partition of rows takes in a second. */
const parallel = 20;

const comeAgain = (): Refusal =>
  new Refusal({
    kind: "rate-limited",
    detail: "Not all traces could be stored in time. Send the request again: what is stored is not stored twice.",
    retryAfter: 1,
  });

/** Beyond this answers nobody waits for what is still under way. */
const tooSlow = (): Refusal =>
  new Refusal({ kind: "unavailable", detail: "Storing the traces takes too long at the moment. Try again." });

/** Why spans will never fit; null for what may go better later. */
const whyNever = ({ reason }: Refusal): string | null => {
  if (reason.kind === "invalid") return reason.violations.map(({ msg }) => msg).join(" ");
  return reason.kind === "too-large" ? reason.detail : null;
};

/**
 * Stores the traces of one export. What nobody has sent before comes first, so that a request that is sent again gets further each time;
 * what DynamoDB has no capacity for at the moment is tried again behind the others.
 *
 * @returns why spans will never fit, once for each.
 * @throws Refusal `rate-limited` when some could not be stored in time: the whole request is to be sent again; what
 *   failed else.
 */
export const takeIn = async (
  traces: Pick<Traces, "look" | "saveSeen">,
  project: Pick<CallersProject, "id" | "metadataKeys">,
  sent: readonly SentTrace[],
  { begin, answer }: TakeInTimes = usualTimes,
  now: () => number = Date.now,
): Promise<readonly string[]> => {
  const until = now() + begin;

  const work = async (): Promise<readonly string[]> => {
    const refused: string[] = [];
    const ids = sent.map(({ trace }) => trace.trace_id);
    const seen = await traces.look(project.id, ids);
    let due = sent.toSorted((a, b) => Number(seen.has(a.trace.trace_id)) - Number(seen.has(b.trace.trace_id)));
    while (due.length > 0) {
      const busy: SentTrace[] = [];
      const store = async (each: SentTrace): Promise<void> => {
        const { trace, spanCount } = each;
        try {
          await traces.saveSeen(project.id, trace, seen.get(trace.trace_id) ?? null, project.metadataKeys);
        } catch (error) {
          const never = error instanceof Refusal ? whyNever(error) : null;
          if (never !== null) refused.push(...Array<string>(spanCount).fill(never));
          else if (isThrottled(error)) busy.push(each);
          else throw error;
        }
      };
      const { left, failures } = await inTurns(due, store, { until, now, width: parallel });
      if (failures.length > 0) throw failures[0];
      if (left || (busy.length > 0 && now() >= until)) throw comeAgain();
      due = busy;
    }
    return refused;
  };

  const refused = await within(work(), answer);
  if (refused === late) throw tooSlow();
  return refused;
};
