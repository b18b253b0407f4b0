import { appendFileSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { DeliveredEvent } from "../../../infra/local/events/event-bus.ts";
import { eventFileWriter } from "../../../infra/local/events/event-file.ts";
import { eventReceiverOf, startEventSender } from "../../../infra/local/events/event-sender.ts";
import { listenOnLoopback } from "../../../infra/local/host/loopback-server.ts";
import { atLeast, eventually, temporaryDirectory } from "../../support/service/local-fixture.ts";

const eventWith = (id: string): DeliveredEvent => ({
  version: "0",
  id,
  "detail-type": "run.completed",
  source: "assay",
  account: "000000000000",
  time: "2026-11-21T09:00:00Z",
  region: "us-east-1",
  resources: [],
  detail: { text: "ü\u2028" },
});

/** A receiver of events, which answers with a status. */
const receiver = async (port = 0) => {
  const answer = { status: 204 };
  const ids: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (text: string) => (body += text));
    request.on("end", () => {
      if (answer.status === 204) ids.push((JSON.parse(body) as DeliveredEvent).id);
      response.writeHead(answer.status, { Location: "http://192.0.2.1/" }).end();
    });
  });
  const endpoint = await listenOnLoopback(server, port);
  onTestFinished(() => endpoint.close());
  return { answer, ids, ...endpoint };
};

const send = (directory: string, url: string) => {
  const failures: unknown[] = [];
  const pauses = { idle: 5, first: 5, longest: 20 };
  const sender = startEventSender(directory, url, (_, error) => void failures.push(error), pauses);
  onTestFinished(() => sender.stop());
  return { sender, failures };
};

test("events reach the receiver in order, those of a time when it was down or refused too", async () => {
  const directory = temporaryDirectory();
  const { url, answer, ids, close } = await receiver();
  eventFileWriter(directory)(eventWith("before the first start"));
  const { failures } = send(directory, url);
  const write = eventFileWriter(directory);
  write(eventWith("a"));
  await eventually(() => atLeast(ids));

  answer.status = 302;
  write(eventWith("b"));
  await eventually(() => atLeast(failures));
  await close();
  write(eventWith("c"));
  const later = await receiver(Number(new URL(url).port));

  expect(await eventually(() => atLeast(later.ids, 2))).toEqual(["b", "c"]);
  expect(ids).toEqual(["a"]);
  expect(failures).toHaveLength(1);
});

test("a killed process continues where it was, and a part of a line that it left joins no event", async () => {
  const directory = temporaryDirectory();
  const { url, ids } = await receiver();
  const first = send(directory, url);
  eventFileWriter(directory)(eventWith("a"));
  await eventually(() => atLeast(ids));
  await first.sender.stop();

  appendFileSync(join(directory, "events.jsonl"), Buffer.from(JSON.stringify(eventWith("lost"))).subarray(0, -5));
  const write = eventFileWriter(directory);
  write(eventWith("b"));
  send(directory, url);

  expect(await eventually(() => atLeast(ids, 2))).toEqual(["a", "b"]);
  const { length } = readFileSync(join(directory, "events.jsonl"));
  const offset = () => readFileSync(join(directory, "events-sent.json"), "utf8");
  await eventually(() => (offset().includes(`: ${length}\n`) ? true : undefined));
});

test("the receiver must be on this machine", () => {
  expect(eventReceiverOf({})).toBeNull();
  expect(eventReceiverOf({ EVENT_RECEIVER: "http://localhost:9000/x" })).toBe("http://localhost:9000/x");
  for (const EVENT_RECEIVER of ["http://example.com/", "http://127.0.0.1.example.com/", "https://127.0.0.1/", "9000"])
    expect(() => eventReceiverOf({ EVENT_RECEIVER })).toThrow("EVENT_RECEIVER must be an address of this machine");
});
