from langchain.agents import create_agent
from langchain_core.tracers.langchain import wait_for_all_tracers

def get_weather(city: str) -> str:
    """The weather of a city."""
    return "sunny"

agent = create_agent("openai:gpt-5.4-mini", tools=[get_weather])
question = {"messages": [("user", "What is the weather in Paris?")]}
config = {"metadata": {"session_id": "chat-7", "user_id": "mia"}}
print(agent.invoke(question, config)["messages"][-1].content)
wait_for_all_tracers()
