import { createServer, type TlsOptions } from "node:tls";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { deployedTimeouts } from "../../../../infra/verify/timeouts.ts";
import type { CheckResult, CheckContext } from "../../../../infra/verify/check.ts";
import { tls } from "../../../../infra/verify/questions/tls.ts";
import { selfSigned } from "../../../support/tls/self-signed.ts";

/** Result of the TLS check for an address; no other part of a deployment is read. */
const answerFor = (baseUrl: string): Promise<CheckResult> =>
  tls.run({ baseUrl, timeouts: { ...deployedTimeouts, request: 5_000 } } as CheckContext);

const serving = async (options: TlsOptions): Promise<string> => {
  const server = createServer({ ...selfSigned(), ciphers: "DEFAULT@SECLEVEL=0", ...options }, (socket) => socket.end());
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => new Promise<void>((closed) => void server.close(() => closed())));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test("a server with TLS 1.2 and newer only passes", async () => {
  const { verdict, details } = await answerFor(await serving({ minVersion: "TLSv1.2" }));

  expect([verdict, details]).toEqual(["passed", "TLSv1.3 accepted, TLSv1.2 accepted, TLSv1.1 refused, TLSv1 refused"]);
});

test("a server that still accepts an old version fails", async () => {
  const { verdict, details } = await answerFor(await serving({ minVersion: "TLSv1.1" }));

  expect([verdict, details]).toEqual(["failed", "TLSv1.1 is accepted"]);
});

test("a server without a modern version fails", async () => {
  const old = await serving({ minVersion: "TLSv1", maxVersion: "TLSv1.1" });

  const { verdict, details } = await answerFor(old);

  expect(verdict).toBe("failed");
  expect(details).toContain("TLSv1.3 refused, TLSv1.2 refused, TLSv1.1 accepted");
});

test("an address without a server neither refuses nor accepts a version", async () => {
  const { verdict, details } = await answerFor("https://127.0.0.1:9");

  expect(verdict).toBe("failed");
  expect(details).not.toContain("refused");
});

test("an http address has no TLS to check", async () => {
  expect(await answerFor("http://127.0.0.1:4000")).toEqual({
    verdict: "skipped",
    details: "the URL is not https",
  });
});
