import logfire
from agents import Agent, Runner, function_tool

logfire.configure(send_to_logfire=False)
logfire.instrument_openai_agents()

@function_tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return "sunny"

agent = Agent(name="weather", model="gpt-5.4-mini", tools=[get_weather])
print(Runner.run_sync(agent, "What is the weather in Paris?").final_output)
logfire.force_flush()
