from langfuse import get_client, observe

@observe()
def agent(question: str) -> str:
    get_client().score_current_trace(name="helpful", value=0.9)
    return "It is sunny."

agent("What is the weather in Paris?")
get_client().flush()
