import * as v from "valibot";
import { type Build, buildName } from "../supply/build.ts";
import { type ExchangeOptions, openExchange } from "./client/exchange.ts";
import { messageOf } from "./message-of.ts";

/** The build in a health check; builds before 1.0.0 report no commit. */
const health = v.object({ version: v.string(), commit: v.optional(v.string(), "unknown") });

/** Formats the deployed build, as its health check reports it, and the checkout's build in one line. */
export const buildLine = async (options: Omit<ExchangeOptions, "onReply">, checkout: Build): Promise<string> => {
  const exchange = openExchange({ ...options, onReply: () => undefined });
  try {
    const { body } = await exchange.send({ method: "GET", path: "/health" });
    return `Deployed: ${buildName(v.parse(health, body))}. This checkout: ${buildName(checkout)}.`;
  } catch (error) {
    return `Deployed: an unknown build (${messageOf(error)}). This checkout: ${buildName(checkout)}.`;
  } finally {
    exchange.close();
  }
};
