import { instrumented } from "./instrumented.ts";
import type { Program } from "./program.ts";

/** Sample programs in Python that configure OpenTelemetry themselves. */
export const instrumentedPrograms: readonly Program[] = [
  instrumented({
    topic: "openai",
    name: "OpenAI's SDK, OpenInference",
    ranWith: ["openai 3.54.0", "openinference-instrumentation-openai 0.1.66"],
    imports: `from openinference.instrumentation.openai import OpenAIInstrumentor
from openai import OpenAI`,
    body: `OpenAIInstrumentor().instrument(tracer_provider=provider)
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=question).choices[0].message.content)`,
  }),
  instrumented({
    topic: "openai-openllmetry",
    name: "OpenAI's SDK, OpenLLMetry",
    ranWith: ["openai 3.54.0", "opentelemetry-instrumentation-openai 0.62.4"],
    imports: `from opentelemetry.instrumentation.openai import OpenAIInstrumentor
from openai import OpenAI`,
    body: `OpenAIInstrumentor().instrument(tracer_provider=provider)
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=question).choices[0].message.content)`,
  }),
  instrumented({
    topic: "anthropic",
    name: "Anthropic's SDK",
    ranWith: ["anthropic 2.12.0", "openinference-instrumentation-anthropic 3.1.0"],
    imports: `from openinference.instrumentation.anthropic import AnthropicInstrumentor
from anthropic import Anthropic`,
    body: `AnthropicInstrumentor().instrument(tracer_provider=provider)
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(Anthropic().messages.create(model="claude-sonnet-5", max_tokens=100, messages=question).content[0].text)`,
  }),
  instrumented({
    topic: "langchain",
    name: "LangChain and LangGraph",
    ranWith: ["langchain 1.4.7", "langgraph 1.2.22", "openinference-instrumentation-langchain 0.1.80"],
    imports: `from openinference.instrumentation.langchain import LangChainInstrumentor
from langchain.agents import create_agent`,
    body: `LangChainInstrumentor().instrument(tracer_provider=provider)

def get_weather(city: str) -> str:
    """The weather of a city."""
    return "sunny"

agent = create_agent("openai:gpt-5.4-mini", tools=[get_weather])
print(agent.invoke({"messages": [("user", "What is the weather in Paris?")]})["messages"][-1].content)`,
  }),
  instrumented({
    topic: "llamaindex",
    name: "LlamaIndex",
    ranWith: ["llama-index-core 0.14.25", "openinference-instrumentation-llama-index 4.6.1"],
    imports: `from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai import OpenAI`,
    body: `LlamaIndexInstrumentor().instrument(tracer_provider=provider)
question = ChatMessage(role="user", content="What is the weather in Paris?")
print(OpenAI(model="gpt-4o-mini").chat([question]).message.content)`,
  }),
  instrumented({
    topic: "pydantic-ai",
    name: "Pydantic AI",
    ranWith: ["pydantic-ai-slim 2.68.0"],
    imports: `from pydantic_ai import Agent
from pydantic_ai.models.instrumented import InstrumentationSettings`,
    body: `Agent.instrument_all(InstrumentationSettings(tracer_provider=provider))
agent = Agent("openai-chat:gpt-5.4-mini")

@agent.tool_plain
def get_weather(city: str) -> str:
    return "sunny"

print(agent.run_sync("What is the weather in Paris?").output)`,
  }),
  instrumented({
    topic: "crewai",
    name: "CrewAI",
    ranWith: [
      "crewai 1.15.30",
      "openinference-instrumentation-crewai 1.1.21",
      "openinference-instrumentation-openai 0.1.66",
    ],
    imports: `from openinference.instrumentation.crewai import CrewAIInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor
from crewai import Agent, Crew, Task`,
    body: `CrewAIInstrumentor().instrument(tracer_provider=provider)
OpenAIInstrumentor().instrument(tracer_provider=provider)
agent = Agent(role="forecaster", goal="tell the weather", backstory="You look outside.", llm="gpt-4o-mini")
task = Task(description="What is the weather in Paris?", expected_output="a sentence", agent=agent)
print(Crew(agents=[agent], tasks=[task]).kickoff())`,
  }),
  instrumented({
    topic: "autogen",
    name: "AutoGen",
    ranWith: ["autogen-agentchat 0.7.5", "openinference-instrumentation-openai 0.1.66"],
    preamble: `import asyncio`,
    imports: `from opentelemetry import trace
from openinference.instrumentation.openai import OpenAIInstrumentor
from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient`,
    body: `trace.set_tracer_provider(provider)
OpenAIInstrumentor().instrument(tracer_provider=provider)
agent = AssistantAgent("weather", OpenAIChatCompletionClient(model="gpt-4o-mini"))
print(asyncio.run(agent.run(task="What is the weather in Paris?")).messages[-1].content)`,
  }),
  instrumented({
    topic: "agent-framework",
    name: "Microsoft Agent Framework",
    ranWith: ["agent-framework-core 1.23.0"],
    preamble: `import asyncio`,
    imports: `from opentelemetry import trace
from agent_framework import Agent
from agent_framework.observability import enable_instrumentation
from agent_framework.openai import OpenAIChatClient`,
    body: `trace.set_tracer_provider(provider)
enable_instrumentation(enable_sensitive_data=True)
agent = Agent(OpenAIChatClient(model="gpt-5.4-mini"), name="weather")
print(asyncio.run(agent.run("What is the weather in Paris?")))`,
  }),
  instrumented({
    topic: "semantic-kernel",
    name: "Semantic Kernel",
    ranWith: ["semantic-kernel 1.45.0"],
    preamble: `import asyncio, os
os.environ["SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE"] = "true"`,
    imports: `from opentelemetry import trace
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion`,
    body: `trace.set_tracer_provider(provider)
agent = ChatCompletionAgent(service=OpenAIChatCompletion("gpt-5.4-mini"), name="weather")
print(asyncio.run(agent.get_response("What is the weather in Paris?")))`,
  }),
  instrumented({
    topic: "google-adk",
    name: "Google ADK",
    ranWith: ["google-adk 2.13.0", "litellm 1.106.2"],
    preamble: `import asyncio`,
    imports: `from opentelemetry import trace
from google.adk.agents import Agent
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner`,
    body: `trace.set_tracer_provider(provider)
agent = Agent(name="weather", model=LiteLlm("openai/gpt-4o-mini"), instruction="Be short.")
asyncio.run(InMemoryRunner(agent, app_name="weather").run_debug("What is the weather in Paris?"))`,
  }),
  instrumented({
    topic: "smolagents",
    name: "smolagents",
    ranWith: ["smolagents 1.26.0", "openinference-instrumentation-smolagents 0.1.43"],
    imports: `from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from smolagents import OpenAIServerModel, ToolCallingAgent, tool`,
    body: `SmolagentsInstrumentor().instrument(tracer_provider=provider)

@tool
def get_weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: its name
    """
    return "sunny"

ToolCallingAgent(tools=[get_weather], model=OpenAIServerModel("gpt-5.4-mini")).run("What is the weather in Paris?")`,
  }),
  instrumented({
    topic: "agno",
    name: "Agno",
    ranWith: ["agno 3.1.10", "openinference-instrumentation-agno 1.0.15"],
    imports: `from openinference.instrumentation.agno import AgnoInstrumentor
from agno.agent import Agent
from agno.models.openai import OpenAIChat`,
    body: `AgnoInstrumentor().instrument(tracer_provider=provider)

def get_weather(city: str) -> str:
    """The weather of a city."""
    return "sunny"

Agent(model=OpenAIChat(id="gpt-5.4-mini"), tools=[get_weather]).print_response("What is the weather in Paris?")`,
  }),
  instrumented({
    topic: "dspy",
    name: "DSPy",
    ranWith: ["dspy 3.4.1", "openinference-instrumentation-dspy 0.1.48"],
    imports: `from openinference.instrumentation.dspy import DSPyInstrumentor
import dspy`,
    body: `DSPyInstrumentor().instrument(tracer_provider=provider)
dspy.configure(lm=dspy.LM("openai/gpt-4o-mini", cache=False))
print(dspy.Predict("question -> answer")(question="What is the weather in Paris?").answer)`,
  }),
  instrumented({
    topic: "haystack",
    name: "Haystack",
    ranWith: ["haystack-ai 3.4.0", "openinference-instrumentation-haystack 0.1.46"],
    imports: `from openinference.instrumentation.haystack import HaystackInstrumentor
from haystack import Pipeline
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage`,
    body: `HaystackInstrumentor().instrument(tracer_provider=provider)
pipeline = Pipeline()
pipeline.add_component("llm", OpenAIChatGenerator(model="gpt-5.4-mini"))
pipeline.run({"llm": {"messages": [ChatMessage.from_user("What is the weather in Paris?")]}})`,
  }),
];
