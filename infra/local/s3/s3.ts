import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { folderStore } from "../../../lib/lake/folder.ts";
import { type Endpoint, listenOnLoopback } from "../host/loopback-server.ts";
import { isPresigned } from "./presigned.ts";

const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/**
 * Starts S3 over a folder with GET, PUT and DELETE of objects and the list of a bucket; links to objects end when they expire.
 *
 * Not supported: signatures in headers, which must exist but are not checked, the creation of buckets, ranges, pages of lists, parts,
 * lifecycles.
 */
export const startS3 = async (folder: string): Promise<Endpoint> => {
  const unfinished = join(folder, ".unfinished");
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });

  const refuse = (response: ServerResponse, status: number, code: string): void => {
    response.writeHead(status, { "content-type": "application/xml" });
    response.end(`<Error><Code>${code}</Code></Error>`);
  };

  /** Stores a body if it has the sum in its header. @returns whether it has. */
  const put = async (
    request: IncomingMessage,
    store: ReturnType<typeof folderStore>,
    key: string,
  ): Promise<boolean> => {
    const directory = await mkdtemp(join(unfinished, "put-"));
    try {
      const [path, hash] = [join(directory, "body"), createHash("sha256")];
      request.on("data", (chunk: Buffer) => hash.update(chunk));
      await pipeline(request, createWriteStream(path));
      const sum = hash.digest("hex");
      if (sum !== request.headers["x-amz-content-sha256"]) return false;
      await store.put(key, path, sum);
      return true;
    } finally {
      await rm(directory, { recursive: true });
    }
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, headers } = request;
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const [, bucket = "", ...parts] = url.pathname.split("/").map(decodeURIComponent);
    const key = parts.join("/");
    if (headers.authorization === undefined && !(method === "GET" && isPresigned(url, headers.host ?? "")))
      return refuse(response, 403, "AccessDenied");
    if (bucket === "" || [bucket, ...parts].some((part) => part === ".." || part.includes("\0")))
      return refuse(response, 400, "InvalidURI");
    const store = folderStore(join(folder, bucket));
    if (method === "GET" && key === "") {
      const keys = await store.list(url.searchParams.get("prefix") ?? "");
      const contents = keys.map((each) => `<Contents><Key>${escapeXml(each)}</Key></Contents>`).join("");
      response.writeHead(200, { "content-type": "application/xml" });
      response.end(`<ListBucketResult>${contents}</ListBucketResult>`);
    } else if (method === "GET") {
      const path = join(folder, bucket, key);
      const file = await stat(path).catch(() => undefined);
      if (file?.isFile() !== true) return refuse(response, 404, "NoSuchKey");
      response.writeHead(200, { "content-type": "application/octet-stream", "content-length": file.size });
      await pipeline(createReadStream(path), response);
    } else if (method === "PUT") {
      if (!(await put(request, store, key))) return refuse(response, 400, "XAmzContentSHA256Mismatch");
      response.writeHead(200).end();
    } else if (method === "DELETE") {
      await store.remove(key);
      response.writeHead(204).end();
    } else refuse(response, 405, "MethodNotAllowed");
  };

  return listenOnLoopback(
    createServer((request, response) => {
      answer(request, response).catch(() => {
        if (response.headersSent) response.destroy();
        else refuse(response, 500, "InternalError");
      });
    }),
  );
};
