import * as v from "valibot";
import { scoreDataTypes, scoreSources, scoreStatuses } from "../domain/score.ts";
import { instant, jsonObject, oneOf, uuid } from "./fields.ts";

export const traceScore = v.pipe(
  v.object({
    id: uuid,
    trace_id: uuid,
    project_id: uuid,
    name: v.string(),
    value: v.nullable(v.string()),
    data_type: oneOf(scoreDataTypes),
    status: oneOf(scoreStatuses),
    source: oneOf(scoreSources),
    reason: v.nullable(v.string()),
    metadata: jsonObject,
    eval_run_id: v.nullable(uuid),
    author_user_id: v.nullable(v.string()),
    environment: v.nullable(v.string()),
    config_id: v.nullable(v.string()),
    created_at: instant,
    updated_at: instant,
  }),
  v.title("TraceScore"),
  v.description("A judgement of one trace under one name."),
  v.examples([
    {
      id: "69077f9c-6881-8d6f-9d83-272807e91cd2",
      trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01",
      project_id: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
      name: "tool_correctness",
      value: "1.0",
      data_type: "NUMERIC",
      status: "SUCCESS",
      source: "AUTOMATED",
      reason: "One tool call, none failed.",
      metadata: { model: "offline/rules", threshold: 0.5, success: true },
      eval_run_id: "d3b0a1de-8f5c-4c39-8a7e-2c1f4b6a9e02",
      author_user_id: null,
      environment: "production",
      config_id: null,
      created_at: "2026-11-21T09:00:05+00:00",
      updated_at: "2026-11-21T09:00:05+00:00",
    },
  ]),
);
