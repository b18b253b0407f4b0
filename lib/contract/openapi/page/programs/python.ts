import type { Program } from "./program.ts";

/** Sample programs in Python whose framework or SDK configures the export of traces. */
export const pythonPrograms: readonly Program[] = [
  {
    topic: "strands",
    name: "Strands Agents",
    settings: "otlp",
    ranWith: ["strands-agents 1.62.0"],
    code: `from strands import Agent, tool
from strands.models.openai import OpenAIModel
from strands.telemetry import StrandsTelemetry

telemetry = StrandsTelemetry().setup_otlp_exporter()

@tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return "sunny"

agent = Agent(model=OpenAIModel(model_id="gpt-5.4-mini"), tools=[get_weather])
agent("What is the weather in Paris?")
telemetry.tracer_provider.force_flush()`,
    flush: "telemetry.tracer_provider.force_flush()",
  },
  {
    topic: "litellm",
    name: "LiteLLM",
    settings: "litellm",
    ranWith: ["litellm 1.106.2"],
    code: `import litellm

litellm.callbacks = ["otel"]
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(litellm.completion("openai/gpt-4o-mini", messages=question).choices[0].message.content)`,
    flush: "trace.get_tracer_provider().force_flush()",
    notes: "`trace` is imported from `opentelemetry`.",
  },
  {
    topic: "logfire",
    name: "Logfire",
    settings: "otlp",
    ranWith: ["logfire 5.2.0", "openai 3.54.0"],
    code: `import logfire
from openai import OpenAI

logfire.configure(send_to_logfire=False)
logfire.instrument_openai()
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=question).choices[0].message.content)
logfire.force_flush()`,
    flush: "logfire.force_flush()",
  },
  {
    topic: "openai-agents",
    name: "OpenAI Agents SDK",
    settings: "otlp",
    ranWith: ["openai-agents 0.24.0", "logfire 5.2.0"],
    code: `import logfire
from agents import Agent, Runner, function_tool

logfire.configure(send_to_logfire=False)
logfire.instrument_openai_agents()

@function_tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return "sunny"

agent = Agent(name="weather", model="gpt-5.4-mini", tools=[get_weather])
print(Runner.run_sync(agent, "What is the weather in Paris?").final_output)
logfire.force_flush()`,
    flush: "logfire.force_flush()",
    notes: "The `group_id` of the SDK's trace is the session.",
  },
  {
    topic: "claude-agent-sdk",
    name: "Claude Agent SDK and Claude Code",
    settings: "claude",
    ranWith: ["claude-agent-sdk 0.2.187"],
    code: `import asyncio
from claude_agent_sdk import query

async def main() -> None:
    async for message in query(prompt="What is the weather in Paris?"):
        print(message)

asyncio.run(main())`,
    flush: "OTEL_TRACES_EXPORT_INTERVAL=1000 OTEL_LOGS_EXPORT_INTERVAL=1000",
    notes:
      "Claude Code runs as a process of its own, which sends every five seconds and as it ends. It has no call that flushes, only " +
      "these variables. Without the `OTEL_LOG_` variables, prompts, arguments and results are missing.",
  },
  {
    topic: "mlflow",
    name: "MLflow",
    settings: "mlflow",
    ranWith: ["mlflow 3.17.0", "openai 3.54.0"],
    code: `import mlflow
from mlflow.tracing.provider import provider
from openai import OpenAI

mlflow.openai.autolog()
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=question).choices[0].message.content)
provider.get().force_flush()`,
    flush: "provider.get().force_flush()",
    notes: "`mlflow.flush_trace_async_logging()` does not flush this exporter.",
  },
  {
    topic: "openlit",
    name: "OpenLIT",
    settings: "otlp",
    ranWith: ["openlit 1.26.0", "openai 3.54.0"],
    code: `import openlit
from openai import OpenAI
from opentelemetry import trace

openlit.init()
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=question).choices[0].message.content)
trace.get_tracer_provider().force_flush()`,
    flush: "trace.get_tracer_provider().force_flush()",
  },
  {
    topic: "langfuse-python",
    name: "Langfuse",
    settings: "langfuse",
    ranWith: ["langfuse 5.0.4"],
    code: `from langfuse import get_client, observe

@observe()
def agent(question: str) -> str:
    get_client().score_current_trace(name="helpful", value=0.9)
    return "It is sunny."

agent("What is the weather in Paris?")
get_client().flush()`,
    flush: "get_client().flush()",
  },
  {
    topic: "langsmith-python",
    name: "LangSmith",
    settings: "langsmith",
    ranWith: ["langsmith 0.15.0", "openai 3.54.0"],
    code: `from langsmith import Client, traceable
from langsmith.wrappers import wrap_openai
from openai import OpenAI

client = Client()
openai = wrap_openai(OpenAI())

@traceable(client=client)
def agent(question: str) -> str:
    messages = [{"role": "user", "content": question}]
    return openai.chat.completions.create(model="gpt-5.4-mini", messages=messages).choices[0].message.content

metadata = {"session_id": "chat-7", "user_id": "mia"}
print(agent("What is the weather in Paris?", langsmith_extra={"metadata": metadata}))
client.flush()`,
    flush: "client.flush()",
  },
  {
    topic: "langchain-langsmith",
    name: "LangChain and LangGraph through LangSmith",
    settings: "langsmith",
    ranWith: ["langchain 1.5.2", "langchain-core 1.8.3", "langchain-openai 1.7.4", "langsmith 0.15.0"],
    code: `from langchain.agents import create_agent
from langchain_core.tracers.langchain import wait_for_all_tracers

def get_weather(city: str) -> str:
    """The weather of a city."""
    return "sunny"

agent = create_agent("openai:gpt-5.4-mini", tools=[get_weather])
question = {"messages": [("user", "What is the weather in Paris?")]}
config = {"metadata": {"session_id": "chat-7", "user_id": "mia"}}
print(agent.invoke(question, config)["messages"][-1].content)
wait_for_all_tracers()`,
    flush: "wait_for_all_tracers()",
  },
  {
    topic: "phoenix",
    name: "Phoenix",
    settings: "phoenix",
    ranWith: ["arize-phoenix-otel 0.17.2", "openinference-instrumentation-openai 0.1.66"],
    code: `from openinference.instrumentation.openai import OpenAIInstrumentor
from openai import OpenAI
from phoenix.otel import register

provider = register(protocol="http/protobuf", batch=True)
OpenAIInstrumentor().instrument(tracer_provider=provider)
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=question).choices[0].message.content)
provider.shutdown()`,
    flush: "provider.force_flush()",
  },
  {
    topic: "traceloop",
    name: "Traceloop",
    settings: "traceloop",
    ranWith: ["traceloop-sdk 0.62.4", "openai 3.54.0"],
    code: `from openai import OpenAI
from traceloop.sdk import Traceloop
from traceloop.sdk.decorators import workflow

Traceloop.init(app_name="weather", disable_batch=True)

@workflow()
def agent(question: str) -> str:
    asked = [{"role": "user", "content": question}]
    return OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=asked).choices[0].message.content

print(agent("What is the weather in Paris?"))`,
    flush: "trace.get_tracer_provider().force_flush()",
    notes:
      "`disable_batch=True` sends each span as it ends. Without it flush; `trace` is imported from `opentelemetry`.",
  },
];
