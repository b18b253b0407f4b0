import { randomId } from "../../domain/access/identity.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";

/** Limits of previews that ask a judge. */
export interface PreviewLimits {
  /**
   * Counts a preview against the organization's daily number and the deployment's previews at a time.
   *
   * @returns a function that ends the preview.
   * @throws Refusal `rate-limited` when one of both is used up.
   */
  begin(organization: string): Promise<() => Promise<void>>;
}

/** Maximum numbers of previews. */
interface MaxPreviews {
  /** Per organization and UTC day. */
  readonly perDay: number;
  /** At a time in the deployment: as many as judge workers. */
  readonly atATime: number;
}

const dayMilliseconds = 86_400_000;

/** Milliseconds after which a preview counts as ended if its function died: API Gateway's 29 s, and a second. */
const maxDuration = 30_000;

/** Places that are looked at before a preview is refused; all, where there are fewer. */
const maxAttempts = 10;

/** Creates the limits of previews. Each place of a preview under way is an item, taken at random. */
export const previewLimits = (
  database: Database,
  { perDay, atATime }: MaxPreviews,
  now: () => number = Date.now,
  random: () => number = Math.random,
): PreviewLimits => {
  const limits = itemsOf(database, "limits");
  const expiryAfter = (milliseconds: number): number => Math.ceil((now() + milliseconds) / 1000);

  const takePlace = async (): Promise<() => Promise<void>> => {
    const [holder, first] = [randomId(), Math.floor(random() * atATime)];
    for (let attempt = 0; attempt < Math.min(maxAttempts, atATime); attempt += 1) {
      const key = { pk: `preview#${(first + attempt) % atATime}` };
      const isTaken = await succeeds(
        limits.update(key, "SET holder = :holder, #until = :until, #ttl = :ttl", {
          when: "attribute_not_exists(pk) OR #until <= :now",
          values: {
            ":holder": holder,
            ":until": now() + maxDuration,
            ":now": now(),
            ":ttl": expiryAfter(dayMilliseconds),
          },
        }),
      );
      if (!isTaken) continue;
      return async () => {
        const change = { when: "holder = :holder", values: { ":holder": holder, ":zero": 0 } };
        await succeeds(limits.update(key, "SET #until = :zero", change));
      };
    }
    throw new Refusal({
      kind: "rate-limited",
      detail: `As many previews as this deployment judges at a time (${atATime}) are under way. Try again in a few seconds.`,
      retryAfter: 5,
    });
  };

  const countOfDay = async (organization: string): Promise<void> => {
    const day = new Date(now()).toISOString().slice(0, 10);
    const isCounted = await succeeds(
      limits.update({ pk: `previews#${organization}#${day}` }, "ADD n :one SET #ttl = :ttl", {
        when: "attribute_not_exists(n) OR n < :most",
        values: { ":one": 1, ":most": perDay, ":ttl": expiryAfter(2 * dayMilliseconds) },
      }),
    );
    if (isCounted) return;
    const retryAfter = Math.max(1, Math.ceil((dayMilliseconds - (now() % dayMilliseconds)) / 1000));
    throw new Refusal({
      kind: "rate-limited",
      detail: `The organization has used up its ${perDay} previews of ${day} (UTC). Start a run instead, or wait for the next day.`,
      retryAfter,
    });
  };

  return {
    begin: async (organization) => {
      const end = await takePlace();
      try {
        await countOfDay(organization);
      } catch (error) {
        await end();
        throw error;
      }
      return end;
    },
  };
};
