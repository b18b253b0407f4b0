import { Annotations, CfnOutput, Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { Architecture, Code, LayerVersion, Runtime } from "aws-cdk-lib/aws-lambda";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { variables } from "../../lib/wiring/environment.ts";
import type { DeadLetters } from "../functions/dead-letters.ts";
import { logicalId } from "../path-in-stack.ts";
import type { ServiceFunction, StackParts } from "../functions/service-function.ts";
import { StartedWorker } from "../functions/started-worker.ts";
import { missingLayer } from "./layer.ts";

/** Folder of the layer in functions. */
const layerFolder = "/opt/nodejs/";

/** The lake: the bucket of the files of closed days, and the function that writes them by DuckDB. */
export class Lake extends Construct {
  private readonly bucket: Bucket;
  private readonly writer: StartedWorker;
  private readonly hasEngine: boolean;

  /** @param layer folder of the layer with DuckDB; undefined if it is not installed. */
  constructor(scope: Construct, id: string, parts: StackParts, deadLetters: DeadLetters, layer: string | undefined) {
    super(scope, id);
    // The local runtime has the host's DuckDB instead of the layer.
    this.hasEngine = layer !== undefined || parts.settings.stage === "local";
    if (!this.hasEngine) Annotations.of(this).addWarningV2("assay:lake-layer", missingLayer);
    this.bucket = new Bucket(this, "Bucket", {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // The writer deletes snapshots after an hour.
        { prefix: "snapshots/", expiration: Duration.days(1) },
      ],
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    Validations.of(this.bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason:
        "Requests by presigned links are in the account's CloudTrail if it records data events; access logs need a second bucket.",
    });
    this.writer = new StartedWorker(this, "WriteDays", parts, {
      variable: variables.lakeWriter,
      deadLetters,
      handler: "workers/write-lake",
      description:
        "Writes traces, scores and words of closed days as Parquet files, and reads them for lists and analytics",
      impact:
        "Exports lack days until the pass at 1:00 or 13:00 UTC; lists and analytics of closed days are slower or refused.",
      memory: 3008,
      timeout: 900,
      storage: 10_240,
      layers: layer === undefined ? [] : [this.layer(layer)],
      grants: {
        rows: ["GetItem", "Query"],
        // Words of texts.
        bodies: ["Query"],
        scores: ["Query"],
        // Manifests, changes and due days; names of models and tools; counts of traces.
        aggregates: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
        // Nothing is written for a project that is being deleted.
        access: { BatchGetItem: ["project"] },
      },
      environment: { [variables.lakePackages]: layerFolder },
    });
    this.allowObjects(this.writer.worker, "GetObject", "PutObject", "DeleteObject");
    this.allowListing(this.writer.worker);
    new CfnOutput(Stack.of(this), "LakeBucket", {
      description:
        "Bucket of the files of closed days, below traces/, scores/ and spans/: project=<id>/day=<YYYY-MM-DD>/.",
      value: this.bucket.bucketName,
    });
  }

  /** Lets the sweeper start the writer while days are due, and delete the files of deleted projects. */
  allowSweeping(sweeper: ServiceFunction): void {
    this.allowObjects(sweeper, "DeleteObject");
    this.allowListing(sweeper);
    if (this.hasEngine) this.writer.allowStarting(sweeper);
  }

  /** Lets a function hand out links to files, and start the writer for an export. */
  allowExports(exporter: ServiceFunction): void {
    this.allowObjects(exporter, "GetObject");
    if (this.hasEngine) this.writer.allowStarting(exporter);
  }

  /** Lets a function look words, traces and sums of closed days up. */
  allowSearch(reader: ServiceFunction): void {
    if (this.hasEngine) this.writer.allowStarting(reader);
  }

  private layer(folder: string): LayerVersion {
    return new LayerVersion(this, "DuckDb", {
      description: "DuckDB for Node.js",
      code: Code.fromAsset(folder, { exclude: [".installation.lock"] }),
      compatibleArchitectures: [Architecture.ARM_64],
      compatibleRuntimes: [Runtime.NODEJS_24_X],
    });
  }

  private allowObjects(user: ServiceFunction, ...actions: readonly string[]): void {
    user.allow(
      actions.map((action) => `s3:${action}`),
      this.bucket.arnForObjects("*"),
    );
    user.acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${logicalId(this.bucket)}.Arn>/*]`,
      reason: "The keys of objects begin with the ids of projects, which come and go.",
    });
    user.function.addEnvironment(variables.lakeBucket, this.bucket.bucketName);
  }

  private allowListing(user: ServiceFunction): void {
    user.allow(["s3:ListBucket"], this.bucket.bucketArn);
  }
}
