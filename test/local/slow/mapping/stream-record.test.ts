import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { streamRecord } from "../../../../infra/local/mapping/stream-record.ts";

const now = Date.parse("2026-10-01T12:00:42.900Z");
const arn = "arn:aws:dynamodb:us-east-1:000000000000:table/Table/stream/1";

beforeEach(() => void vi.useFakeTimers({ now }));
afterEach(() => void vi.useRealTimers());

const timeOf = (createdAt: string, timeStep: number): string => {
  const record = { dynamodb: { ApproximateCreationDateTime: new Date(createdAt) } };
  const { at, event } = streamRecord(record, { engineArn: "arn:own", arn, timeStep });
  expect(event).toMatchObject({ eventSourceARN: arn, dynamodb: { ApproximateCreationDateTime: at / 1_000 } });
  return new Date(at).toISOString();
};

test.each([
  ["told to the second, is what it was told", "2026-10-01T12:00:41Z", 1_000, "2026-10-01T12:00:41.000Z"],
  [
    "told to the minute that goes on, is the present second",
    "2026-10-01T12:00:00Z",
    60_000,
    "2026-10-01T12:00:42.000Z",
  ],
  ["told to a minute that is over, is its last second", "2026-10-01T11:58:00Z", 60_000, "2026-10-01T11:58:59.000Z"],
])("the time of a change, %s", (_, createdAt, timeStep, time) => {
  expect(timeOf(createdAt, timeStep)).toBe(time);
});
