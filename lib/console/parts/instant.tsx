import { utcTime, shortTime } from "../format.ts";

/** An instant in the local time zone, with UTC as tooltip. */
export const Instant = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={utcTime(at)}>
    {shortTime(at)}
  </time>
);
