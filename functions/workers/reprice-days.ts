import { dayRepricer, repricingCursor } from "../../lib/maintenance/reprice-days.ts";
import { logLine } from "../../lib/log.ts";
import { environmentPrices } from "../../lib/wiring/trace-prices.ts";
import { cursorStore } from "../../lib/dynamo/cursor.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { pendingMarkers } from "../../lib/store/hours/pending-markers.ts";
import { repricing } from "../../lib/store/traces/repricing/reprice.ts";

const database = connect();
const reprice = dayRepricer(
  database,
  repricing(database, environmentPrices()),
  pendingMarkers(database, "repricings"),
  cursorStore(database, repricingCursor),
);

/** Time in which rows are started. The sweeper starts a worker each minute, so that six at most work at a time. */
const workMilliseconds = 350_000;

/** Continues open repricings, whatever the event is. @throws AggregateError with the errors of failed repricings. */
export const handler = async (): Promise<void> => logLine("repriced", { ...(await reprice(workMilliseconds)) });
