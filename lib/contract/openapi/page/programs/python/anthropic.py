from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from openinference.instrumentation.anthropic import AnthropicInstrumentor
from anthropic import Anthropic

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
AnthropicInstrumentor().instrument(tracer_provider=provider)
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(Anthropic().messages.create(model="claude-sonnet-5", max_tokens=100, messages=question).content[0].text)
provider.shutdown()
