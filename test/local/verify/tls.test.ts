import { createServer, type TlsOptions } from "node:tls";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { deployedPatience } from "../../../infra/verify/patience.ts";
import type { Answer, Scene } from "../../../infra/verify/question.ts";
import { tls } from "../../../infra/verify/questions/tls.ts";
import { selfSigned } from "../../support/tls/self-signed.ts";

/** The answer about an address. The question looks at nothing else of a deployment. */
const answerFor = (baseUrl: string): Promise<Answer> =>
  tls.ask({ baseUrl, patience: { ...deployedPatience, request: 5_000 } } as Scene);

const serving = async (options: TlsOptions): Promise<string> => {
  const server = createServer({ ...selfSigned(), ciphers: "DEFAULT@SECLEVEL=0", ...options }, (socket) => socket.end());
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => new Promise<void>((closed) => void server.close(() => closed())));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test("a server that speaks TLS 1.2 and newer alone is told so", async () => {
  const { verdict, seen } = await answerFor(await serving({ minVersion: "TLSv1.2" }));

  expect([verdict, seen]).toEqual(["holds", "TLSv1.3 spoken, TLSv1.2 spoken, TLSv1.1 refused, TLSv1 refused"]);
});

test("a server that still speaks an old version is found out", async () => {
  const { verdict, seen } = await answerFor(await serving({ minVersion: "TLSv1.1" }));

  expect([verdict, seen]).toEqual(["does not hold", "TLSv1.1 is spoken"]);
});

test("a server that speaks no modern version is found out", async () => {
  const old = await serving({ minVersion: "TLSv1", maxVersion: "TLSv1.1" });

  const { verdict, seen } = await answerFor(old);

  expect(verdict).toBe("does not hold");
  expect(seen).toContain("TLSv1.3 refused, TLSv1.2 refused, TLSv1.1 spoken");
});

test("where nobody listens no version is refused, and none is spoken", async () => {
  const { verdict, seen } = await answerFor("https://127.0.0.1:9");

  expect(verdict).toBe("does not hold");
  expect(seen).not.toContain("refused");
});

test("an address in the clear has no TLS to ask", async () => {
  expect(await answerFor("http://127.0.0.1:4000")).toEqual({
    verdict: "could not be asked",
    seen: "the address is not https",
  });
});
