import { hrefTo } from "../place.ts";

/** Where the ceilings of the month are seen, beside words of the service that name one. */
export const CeilingsLink = ({ of: words }: { readonly of: string }) =>
  /\bceiling\b/u.test(words) ? <a href={hrefTo("runs")}>What is used of the ceilings</a> : null;
