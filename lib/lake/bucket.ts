import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { defaultBounds, type CallBounds } from "../aws/call-bounds.ts";
import type { Environment } from "../aws/environment-credentials.ts";
import { S3Error, s3Requests } from "../aws/s3-requests.ts";
import type { ObjectStore } from "./object-store.ts";

/** Bounds of the requests to S3: a file of a gigabyte takes less than a minute in its Region. */
const bounds: CallBounds = { ...defaultBounds, reply: 60_000, attempt: 120_000 };

/** Keeps the lake's files in a bucket of S3. */
export const bucketStore = (bucket: string, environment: Environment = process.env): ObjectStore => {
  const send = s3Requests(bucket, bounds, environment);
  return {
    put: async (key, path, sha256) => {
      const { size } = await stat(path);
      // S3 compares the body with the sum and stores nothing else.
      const headers = { "x-amz-content-sha256": sha256, "content-length": String(size) };
      await text(await send({ method: "PUT", key, headers, body: () => createReadStream(path) }));
    },
    download: async (key, path) => {
      try {
        await pipeline(await send({ method: "GET", key }), createWriteStream(path));
        return true;
      } catch (error) {
        if (error instanceof S3Error && error.status === 404) return false;
        throw error;
      }
    },
    list: async (prefix) => {
      const keys: string[] = [];
      let next: string | undefined;
      do {
        const first = { "list-type": "2", prefix };
        const query = next === undefined ? first : { ...first, "continuation-token": next };
        const reply = await text(await send({ method: "GET", key: "", query }));
        keys.push(...Array.from(reply.matchAll(/<Key>([^<]*)<\/Key>/gu), ([, key = ""]) => key));
        next = /<NextContinuationToken>([^<]*)</u.exec(reply)?.[1];
      } while (next !== undefined);
      return keys;
    },
    remove: async (key) => void (await text(await send({ method: "DELETE", key }))),
  };
};
