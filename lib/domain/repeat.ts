import { Refusal } from "./refusal.ts";

/** How what a request makes tells whether another request has made it before. */
export interface Repeat {
  /** Of the request's body: what is made keeps it. Null where there is no key, or where the ids follow from the body, too. */
  readonly bodyHash: string | null;
  /**
   * What this request would make is there already.
   *
   * @param bodyHash that it keeps; null when it keeps none.
   * @throws Refusal `invalid` when another body has made it.
   */
  readonly met: (bodyHash: string | null) => void;
}

/** Of what nobody can send again. */
export const unrepeated: Repeat = { bodyHash: null, met: () => undefined };

/** The attribute of a stored thing that has the hash of the body which made it; none without one. */
export const keptHash = ({ bodyHash }: Repeat): { readonly bh?: string } => (bodyHash === null ? {} : { bh: bodyHash });

/** The refusal of a key that has come with another body before. */
export const otherBody = (): Refusal =>
  new Refusal({
    kind: "invalid",
    violations: [
      {
        loc: ["header", "Idempotency-Key"],
        msg: "This key has been sent here with another body. Use a new key for another request.",
        type: "idempotency_error",
      },
    ],
    code: "idempotency_error",
  });
