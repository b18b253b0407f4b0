import json
from langfuse import Evaluation, get_client, observe
from langfuse.openai import OpenAI

langfuse, client = get_client(), OpenAI()

@observe(as_type="tool")
def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: sunny"

parameters = {"type": "object", "properties": {"city": {"type": "string"}}}
tools = [{"type": "function", "function": {"name": "get_weather", "parameters": parameters}}]

def weather(*, item, **_) -> str:
    messages = [{"role": "user", "content": item.input}]
    while True:
        reply = client.chat.completions.create(model="gpt-5.4-mini", messages=messages, tools=tools).choices[0].message
        if not reply.tool_calls:
            return reply.content
        messages.append(reply)
        for call in reply.tool_calls:
            result = get_weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

def is_expected(*, output, expected_output, **_):
    return Evaluation(name="is_expected", value=float(expected_output in output))

langfuse.create_dataset(name="weather")
question = "What is the weather in Paris?"
langfuse.create_dataset_item(dataset_name="weather", id="paris", input=question, expected_output="sunny")
dataset = langfuse.get_dataset("weather")
result = dataset.run_experiment(name="release 2", task=weather, evaluators=[is_expected])
print(result.format(include_item_results=True))
langfuse.flush()
