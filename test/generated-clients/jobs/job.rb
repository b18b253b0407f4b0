# The main job with the generated Ruby client: stores a trace, evaluates it, prints the value of its score.
require 'openapi_client'
require 'time'
require 'uri'

OpenapiClient.configure do |settings|
  url = URI(ENV.fetch('ASSAY_URL'))
  settings.scheme = url.scheme
  settings.host = "#{url.host}:#{url.port}"
  settings.base_path = ''
  settings.server_index = nil
  settings.api_key['X-API-Key'] = ENV.fetch('ASSAY_KEY')
  settings.api_key['X-Project-Name'] = 'default'
end

now = Time.now.utc.iso8601
span = OpenapiClient::SpanInput.new(
  name: 'lookup_order', kind: 'TOOL', started_at: now, input: { order: 1042 }, output: 'shipped'
)
trace = OpenapiClient::TraceInput.new(
  name: 'support-agent', started_at: now, ended_at: now,
  input: 'Where is my order 1042?', output: 'It arrives tomorrow.', spans: [span]
)
receipt = OpenapiClient::TracesApi.new.create_trace(trace)

runs = OpenapiClient::RunsApi.new
run = runs.create_trace_batch_run(
  OpenapiClient::BatchEvalRunInput.new(trace_ids: [receipt.trace_id], metrics: ['tool_correctness'])
)
while %w[PENDING RUNNING].include?(run.status)
  sleep 0.2
  run = runs.get_trace_run(run.id)
end
score = OpenapiClient::ScoresApi.new.get_trace_scores(receipt.trace_id).first
puts "#{score.name} #{score.value}"
