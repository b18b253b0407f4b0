//! The main job with the generated Rust client: stores a trace, evaluates it, prints the value of its score.
use openapi::apis::{configuration, runs_api, scores_api, traces_api};
use openapi::models::{BatchEvalRunInput, SpanInput, TraceInput};
use std::{env, error::Error, thread, time::Duration};

fn main() -> Result<(), Box<dyn Error>> {
    let key = configuration::ApiKey { prefix: None, key: env::var("ASSAY_KEY")? };
    let mut assay = configuration::Configuration::new();
    assay.base_path = env::var("ASSAY_URL")?;
    assay.api_key = Some(key);
    let project = Some("default".to_string());
    let now = chrono::Utc::now().to_rfc3339();

    let mut span = SpanInput::new("lookup_order".into(), now.clone());
    span.kind = Some(Some(openapi::models::span_input::Kind::Tool));
    span.input = Some(Some(serde_json::json!({"order": 1042})));
    span.output = Some(Some("shipped".into()));
    let mut trace_input = TraceInput::new("support-agent".into(), now.clone());
    trace_input.ended_at = Some(Some(now));
    trace_input.input = Some(Some("Where is my order 1042?".into()));
    trace_input.output = Some(Some("It arrives tomorrow.".into()));
    trace_input.spans = Some(vec![span]);
    let sent = traces_api::CreateTraceParams {
        trace_input,
        x_project_name: project.clone(),
        x_project_id: None,
        x_request_id: None,
        idempotency_key: None,
    };
    let receipt = traces_api::create_trace(&assay, sent)?;

    let batch_eval_run_input = BatchEvalRunInput::new(vec![receipt.trace_id.clone()], vec!["tool_correctness".into()]);
    let selection = runs_api::CreateTraceBatchRunParams {
        batch_eval_run_input,
        dry_run: None,
        x_project_name: project.clone(),
        x_project_id: None,
        x_request_id: None,
        idempotency_key: None,
    };
    let mut run = runs_api::create_trace_batch_run(&assay, selection)?;
    while format!("{:?}", run.status) == "Pending" || format!("{:?}", run.status) == "Running" {
        thread::sleep(Duration::from_millis(200));
        let query = runs_api::GetTraceRunParams {
            run_id: run.id.to_string(),
            x_project_name: project.clone(),
            x_project_id: None,
            x_request_id: None,
            if_none_match: None,
        };
        run = runs_api::get_trace_run(&assay, query)?;
    }
    let query = scores_api::GetTraceScoresParams {
        score_id: receipt.trace_id.to_string(),
        x_project_name: project,
        x_project_id: None,
        x_request_id: None,
        if_none_match: None,
    };
    let scores = scores_api::get_trace_scores(&assay, query)?;
    println!("{} {}", scores[0].name, scores[0].value.clone().unwrap_or_default());
    Ok(())
}
