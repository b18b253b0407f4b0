import { randomUUID } from "node:crypto";
import * as v from "valibot";
import type { ChangeMarkers } from "../../domain/monitors/watermark.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { changeMarkersKey } from "./keys.ts";

/**
 * Seconds (40 days) that change markers are stored: longer than a monthly cadence. After they expired, a monitor counts
 * the changes of one minute twice.
 */
const retentionSeconds = 40 * 86_400;

/**
 * Store of change markers: sessions and traces that changed shortly before or during a monitor's snapshot of its
 * project's data.
 */
export interface ChangeMarkerStore {
  /** Stores markers before a monitor refers to them. @returns their name; undefined without markers. */
  put(project: string, monitor: string, markers: ChangeMarkers): Promise<string | undefined>;
  /** Reads markers, strongly consistent; null when they have expired or do not exist. */
  get(project: string, monitor: string, name: string | undefined): Promise<ChangeMarkers | null>;
}

const markersItem = v.object({ marks: v.instance(Uint8Array) });

export const changeMarkerStore = (database: Database, now: () => number = Date.now): ChangeMarkerStore => {
  const monitors = itemsOf(database, "monitors");
  return {
    put: async (project, monitor, markers) => {
      if (markers.length === 0) return undefined;
      const name = randomUUID();
      const ttl = Math.ceil(now() / 1000) + retentionSeconds;
      await monitors.put({ ...changeMarkersKey(project, monitor, name), marks: markers, ttl });
      return name;
    },

    get: async (project, monitor, name) => {
      if (name === undefined) return null;
      const item = await monitors.get(changeMarkersKey(project, monitor, name));
      return item === undefined ? null : v.parse(markersItem, item).marks;
    },
  };
};
