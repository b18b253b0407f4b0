import { hrefTo } from "../route.ts";

/** Link to the usage of the monthly ceilings, for messages of the service that mention one. */
export const CeilingsLink = ({ message }: { readonly message: string }) =>
  /\bceiling\b/u.test(message) ? <a href={hrefTo("runs")}>Ceiling usage</a> : null;
