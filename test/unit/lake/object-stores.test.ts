import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildApp } from "fauxqs";
import { expect, onTestFinished, test } from "vitest";
import { bucketStore } from "../../../lib/lake/bucket.ts";
import { folderStore } from "../../../lib/lake/folder.ts";
import { temporaryFolder } from "../../support/lake/lake.ts";

/** Starts S3 with an empty bucket. */
const startBucket = async () => {
  const app = buildApp({ logger: false, defaultRegion: "us-east-1" });
  onTestFinished(() => app.close());
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  await fetch(`${url}/lake`, { method: "PUT" });
  return bucketStore("lake", {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_ENDPOINT_URL_S3: url,
  });
};

const stores = { folder: () => folderStore(temporaryFolder()), bucket: startBucket };

test.each(Object.keys(stores) as (keyof typeof stores)[])(
  "a %s keeps files under their keys, lists them by folder, and forgets what is removed",
  async (kind) => {
    const [store, folder] = [await stores[kind](), temporaryFolder()];
    const [path, copy] = [join(folder, "file"), join(folder, "copy")];
    const bytes = Buffer.alloc(3_000_000, "lake\u0000");
    writeFileSync(path, bytes);
    const sum = createHash("sha256").update(bytes).digest("hex");

    await store.put("traces/project=p/day=2026-10-01/1-a.parquet", path, sum);
    await store.put("traces/project=p/day=2026-10-01/2-b.parquet", path, sum);
    await store.put("traces/project=p/day=2026-10-02/3-c.parquet", path, sum);
    await store.download("traces/project=p/day=2026-10-01/2-b.parquet", copy);
    const listed = await store.list("traces/project=p/day=2026-10-01/");
    await store.remove("traces/project=p/day=2026-10-01/1-a.parquet");
    await store.remove("traces/project=p/day=2026-10-01/none.parquet");

    expect(readFileSync(copy).equals(bytes)).toBe(true);
    expect(listed.toSorted()).toEqual([
      "traces/project=p/day=2026-10-01/1-a.parquet",
      "traces/project=p/day=2026-10-01/2-b.parquet",
    ]);
    expect(await store.list("traces/project=p/day=2026-10-01/")).toEqual([
      "traces/project=p/day=2026-10-01/2-b.parquet",
    ]);
    expect(await store.list("scores/")).toEqual([]);
    expect(await store.list("traces/project=p/")).toHaveLength(2);
    expect(await store.download("traces/project=p/day=2026-10-01/1-a.parquet", copy)).toBe(false);
  },
);
