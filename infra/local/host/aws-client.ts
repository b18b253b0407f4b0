import { place } from "../template/arn.ts";

/** What every AWS client of the runtime needs to talk to a service on this machine. */
export const localClient = (endpoint: string) => ({
  endpoint,
  region: place.region,
  credentials: { accessKeyId: "localruntime", secretAccessKey: "local" },
});
