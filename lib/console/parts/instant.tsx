import { utc, when } from "../words.ts";

/** An instant in the reader's zone; UTC on hover. */
export const Instant = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={utc(at)}>
    {when(at)}
  </time>
);
