/** What a program is told by its environment: `otlp` is that of any exporter of OpenTelemetry. */
export type ProgramSettings = "otlp" | "litellm" | "langfuse" | "langsmith" | "phoenix" | "traceloop";

/** A program whose trace was sent and stored, as it was run. */
export interface Program {
  readonly name: string;
  readonly settings: ProgramSettings;
  /** Packages and their versions. */
  readonly ranWith: readonly string[];
  readonly code: string;
}

/** What all of Python's have that set up OpenTelemetry themselves. */
const exporter = `from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor`;
const provider = `provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))`;

export const pythonPrograms: readonly Program[] = [
  {
    name: "OpenAI's SDK, OpenInference",
    settings: "otlp",
    ranWith: ["openai 3.54.0", "openinference-instrumentation-openai 0.1.66"],
    code: `${exporter}
from openinference.instrumentation.openai import OpenAIInstrumentor
from openai import OpenAI

${provider}
OpenAIInstrumentor().instrument(tracer_provider=provider)
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=question).choices[0].message.content)
provider.shutdown()`,
  },
  {
    name: "OpenAI's SDK, OpenLLMetry",
    settings: "otlp",
    ranWith: ["openai 3.54.0", "opentelemetry-instrumentation-openai 0.62.4"],
    code: `${exporter}
from opentelemetry.instrumentation.openai import OpenAIInstrumentor
from openai import OpenAI

${provider}
OpenAIInstrumentor().instrument(tracer_provider=provider)
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=question).choices[0].message.content)
provider.shutdown()`,
  },
  {
    name: "Anthropic's SDK",
    settings: "otlp",
    ranWith: ["anthropic 2.12.0", "openinference-instrumentation-anthropic 3.1.0"],
    code: `${exporter}
from openinference.instrumentation.anthropic import AnthropicInstrumentor
from anthropic import Anthropic

${provider}
AnthropicInstrumentor().instrument(tracer_provider=provider)
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(Anthropic().messages.create(model="claude-sonnet-5", max_tokens=100, messages=question).content[0].text)
provider.shutdown()`,
  },
  {
    name: "LangChain and LangGraph",
    settings: "otlp",
    ranWith: ["langchain 1.4.7", "langgraph 1.2.22", "openinference-instrumentation-langchain 0.1.80"],
    code: `${exporter}
from openinference.instrumentation.langchain import LangChainInstrumentor
from langchain.agents import create_agent

${provider}
LangChainInstrumentor().instrument(tracer_provider=provider)

def get_weather(city: str) -> str:
    """The weather of a city."""
    return "sunny"

agent = create_agent("openai:gpt-5.4-mini", tools=[get_weather])
print(agent.invoke({"messages": [("user", "What is the weather in Paris?")]})["messages"][-1].content)
provider.shutdown()`,
  },
  {
    name: "LlamaIndex",
    settings: "otlp",
    ranWith: ["llama-index-core 0.14.25", "openinference-instrumentation-llama-index 4.6.1"],
    code: `${exporter}
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai import OpenAI

${provider}
LlamaIndexInstrumentor().instrument(tracer_provider=provider)
question = ChatMessage(role="user", content="What is the weather in Paris?")
print(OpenAI(model="gpt-4o-mini").chat([question]).message.content)
provider.shutdown()`,
  },
  {
    name: "Pydantic AI",
    settings: "otlp",
    ranWith: ["pydantic-ai-slim 2.68.0"],
    code: `${exporter}
from pydantic_ai import Agent
from pydantic_ai.models.instrumented import InstrumentationSettings

${provider}
Agent.instrument_all(InstrumentationSettings(tracer_provider=provider))
agent = Agent("openai-chat:gpt-5.4-mini")

@agent.tool_plain
def get_weather(city: str) -> str:
    return "sunny"

print(agent.run_sync("What is the weather in Paris?").output)
provider.shutdown()`,
  },
  {
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
  },
  {
    name: "CrewAI",
    settings: "otlp",
    ranWith: [
      "crewai 1.15.30",
      "openinference-instrumentation-crewai 1.1.21",
      "openinference-instrumentation-openai 0.1.66",
    ],
    code: `${exporter}
from openinference.instrumentation.crewai import CrewAIInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor
from crewai import Agent, Crew, Task

${provider}
CrewAIInstrumentor().instrument(tracer_provider=provider)
OpenAIInstrumentor().instrument(tracer_provider=provider)
agent = Agent(role="forecaster", goal="tell the weather", backstory="You look outside.", llm="gpt-4o-mini")
task = Task(description="What is the weather in Paris?", expected_output="a sentence", agent=agent)
print(Crew(agents=[agent], tasks=[task]).kickoff())
provider.shutdown()`,
  },
  {
    name: "AutoGen",
    settings: "otlp",
    ranWith: ["autogen-agentchat 0.7.5", "openinference-instrumentation-openai 0.1.66"],
    code: `import asyncio
${exporter}
from opentelemetry import trace
from openinference.instrumentation.openai import OpenAIInstrumentor
from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient

${provider}
trace.set_tracer_provider(provider)
OpenAIInstrumentor().instrument(tracer_provider=provider)
agent = AssistantAgent("weather", OpenAIChatCompletionClient(model="gpt-4o-mini"))
print(asyncio.run(agent.run(task="What is the weather in Paris?")).messages[-1].content)
provider.shutdown()`,
  },
  {
    name: "Microsoft Agent Framework",
    settings: "otlp",
    ranWith: ["agent-framework-core 1.23.0"],
    code: `import asyncio
${exporter}
from opentelemetry import trace
from agent_framework import Agent
from agent_framework.observability import enable_instrumentation
from agent_framework.openai import OpenAIChatClient

${provider}
trace.set_tracer_provider(provider)
enable_instrumentation(enable_sensitive_data=True)
agent = Agent(OpenAIChatClient(model="gpt-5.4-mini"), name="weather")
print(asyncio.run(agent.run("What is the weather in Paris?")))
provider.shutdown()`,
  },
  {
    name: "Semantic Kernel",
    settings: "otlp",
    ranWith: ["semantic-kernel 1.45.0"],
    code: `import asyncio, os
os.environ["SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE"] = "true"
${exporter}
from opentelemetry import trace
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion

${provider}
trace.set_tracer_provider(provider)
agent = ChatCompletionAgent(service=OpenAIChatCompletion("gpt-5.4-mini"), name="weather")
print(asyncio.run(agent.get_response("What is the weather in Paris?")))
provider.shutdown()`,
  },
  {
    name: "Google ADK",
    settings: "otlp",
    ranWith: ["google-adk 2.13.0", "litellm 1.106.2"],
    code: `import asyncio
${exporter}
from opentelemetry import trace
from google.adk.agents import Agent
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner

${provider}
trace.set_tracer_provider(provider)
agent = Agent(name="weather", model=LiteLlm("openai/gpt-4o-mini"), instruction="Be short.")
asyncio.run(InMemoryRunner(agent, app_name="weather").run_debug("What is the weather in Paris?"))
provider.shutdown()`,
  },
  {
    name: "smolagents",
    settings: "otlp",
    ranWith: ["smolagents 1.26.0", "openinference-instrumentation-smolagents 0.1.43"],
    code: `${exporter}
from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from smolagents import OpenAIServerModel, ToolCallingAgent, tool

${provider}
SmolagentsInstrumentor().instrument(tracer_provider=provider)

@tool
def get_weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: its name
    """
    return "sunny"

ToolCallingAgent(tools=[get_weather], model=OpenAIServerModel("gpt-5.4-mini")).run("What is the weather in Paris?")
provider.shutdown()`,
  },
  {
    name: "Agno",
    settings: "otlp",
    ranWith: ["agno 3.1.10", "openinference-instrumentation-agno 1.0.15"],
    code: `${exporter}
from openinference.instrumentation.agno import AgnoInstrumentor
from agno.agent import Agent
from agno.models.openai import OpenAIChat

${provider}
AgnoInstrumentor().instrument(tracer_provider=provider)

def get_weather(city: str) -> str:
    """The weather of a city."""
    return "sunny"

Agent(model=OpenAIChat(id="gpt-5.4-mini"), tools=[get_weather]).print_response("What is the weather in Paris?")
provider.shutdown()`,
  },
  {
    name: "DSPy",
    settings: "otlp",
    ranWith: ["dspy 3.4.1", "openinference-instrumentation-dspy 0.1.48"],
    code: `${exporter}
from openinference.instrumentation.dspy import DSPyInstrumentor
import dspy

${provider}
DSPyInstrumentor().instrument(tracer_provider=provider)
dspy.configure(lm=dspy.LM("openai/gpt-4o-mini", cache=False))
print(dspy.Predict("question -> answer")(question="What is the weather in Paris?").answer)
provider.shutdown()`,
  },
  {
    name: "Haystack",
    settings: "otlp",
    ranWith: ["haystack-ai 3.4.0", "openinference-instrumentation-haystack 0.1.46"],
    code: `${exporter}
from openinference.instrumentation.haystack import HaystackInstrumentor
from haystack import Pipeline
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage

${provider}
HaystackInstrumentor().instrument(tracer_provider=provider)
pipeline = Pipeline()
pipeline.add_component("llm", OpenAIChatGenerator(model="gpt-5.4-mini"))
pipeline.run({"llm": {"messages": [ChatMessage.from_user("What is the weather in Paris?")]}})
provider.shutdown()`,
  },
  {
    name: "LiteLLM",
    settings: "litellm",
    ranWith: ["litellm 1.106.2"],
    code: `import litellm

litellm.callbacks = ["otel"]
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(litellm.completion("openai/gpt-4o-mini", messages=question).choices[0].message.content)`,
  },
  {
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
  },
  {
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
  },
  {
    name: "LangSmith",
    settings: "langsmith",
    ranWith: ["langsmith 0.15.0", "openai 3.54.0"],
    code: `from langsmith import traceable
from langsmith.wrappers import wrap_openai
from openai import OpenAI
from opentelemetry import trace

@traceable
def agent(question: str) -> str:
    asked = [{"role": "user", "content": question}]
    client = wrap_openai(OpenAI())
    return client.chat.completions.create(model="gpt-5.4-mini", messages=asked).choices[0].message.content

print(agent("What is the weather in Paris?"))
trace.get_tracer_provider().force_flush()`,
  },
  {
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
  },
  {
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
  },
];

export const javaScriptPrograms: readonly Program[] = [
  {
    name: "Vercel's AI SDK",
    settings: "otlp",
    ranWith: ["ai 6.0.326", "@ai-sdk/openai 3.0.141", "@opentelemetry/sdk-node 0.223.0"],
    code: `import { createOpenAI } from "@ai-sdk/openai";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { generateText } from "ai";

const sdk = new NodeSDK({ traceExporter: new OTLPTraceExporter() });
sdk.start();
const model = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL }).chat("gpt-5.4-mini");
const prompt = "What is the weather in Paris?";
console.log((await generateText({ model, prompt, experimental_telemetry: { isEnabled: true } })).text);
await sdk.shutdown();`,
  },
  {
    name: "OpenAI's SDK for JavaScript, OpenInference",
    settings: "otlp",
    ranWith: [
      "openai 6.49.0",
      "@arizeai/openinference-instrumentation-openai 4.2.7",
      "@opentelemetry/sdk-node 0.223.0",
    ],
    code: `import { OpenAIInstrumentation } from "@arizeai/openinference-instrumentation-openai";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK } from "@opentelemetry/sdk-node";
import OpenAI from "openai";

const instrumentation = new OpenAIInstrumentation();
instrumentation.manuallyInstrument(OpenAI);
const sdk = new NodeSDK({ traceExporter: new OTLPTraceExporter(), instrumentations: [instrumentation] });
sdk.start();
const messages = [{ role: "user", content: "What is the weather in Paris?" }];
console.log((await new OpenAI().chat.completions.create({ model: "gpt-5.4-mini", messages })).choices[0].message.content);
await sdk.shutdown();`,
  },
  {
    name: "Langfuse for JavaScript",
    settings: "langfuse",
    ranWith: ["@langfuse/otel 5.11.1", "@opentelemetry/sdk-node 0.223.0"],
    code: `import { LangfuseSpanProcessor } from "@langfuse/otel";
import { startActiveObservation } from "@langfuse/tracing";
import { NodeSDK } from "@opentelemetry/sdk-node";

const sdk = new NodeSDK({ spanProcessors: [new LangfuseSpanProcessor()] });
sdk.start();
await startActiveObservation("agent", async (span) => {
  span.update({ input: "What is the weather in Paris?", output: "It is sunny." });
});
await sdk.shutdown();`,
  },
];
