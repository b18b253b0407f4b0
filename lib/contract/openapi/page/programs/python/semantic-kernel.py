import asyncio, logging
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry import trace
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import kernel_function

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
logs = LoggerProvider()
logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
logger = logging.getLogger("semantic_kernel")
logger.addHandler(LoggingHandler(logger_provider=logs))
logger.setLevel(logging.INFO)

class Weather:
    @kernel_function
    def get_weather(self, city: str) -> str:
        """The weather of a city."""
        return f"{city}: sunny"

agent = ChatCompletionAgent(service=OpenAIChatCompletion("gpt-5.4-mini"), name="weather", plugins=[Weather()])
print(asyncio.run(agent.get_response("What is the weather in Paris?")))
logs.shutdown()
provider.shutdown()
