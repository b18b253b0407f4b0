/**
 * Prices of OpenRouter, written by `npm run prices` from @pydantic/genai-prices 0.1.8 (MIT). A line `@prefix source` begins a
 * section, whose names have the prefix. A row has names, then US dollars per million tokens of input, output, cached and written input (the input price
 * if absent), and behind `>200000` or a day the prices of longer prompts or from
 * then on.
 */
export const openRouterRows = `
@ https://openrouter.ai/models
01-ai/yi-large,anthracite-org/magnum-v2-72b,magnum-v2-72b,sao10k/l3.1-70b-hanami-x1,yi-large 3 3
aetherwiing/mn-starcannon-12b,alfredpros/codellama-7b-instruct-solidity,codellama-7b-instruct-solidity,eleutherai/llemma_7b,fimbulvetr-11b-v2,infermatic/mn-inferor-12b,llemma_7b,mn-celeste-12b,mn-inferor-12b,mn-starcannon-12b,morph/morph-v3-fast,mythalion-13b,nothingiisreal/mn-celeste-12b,sao10k/fimbulvetr-11b-v2,toppy-m-7b,undi95/remm-slerp-l2-13b 0.8 1.2
ai21/jamba-1-5-large,ai21/jamba-1.6-large,ai21/jamba-large-1.7,jamba-1.6-large,perplexity/r1-1776,perplexity/sonar-reasoning-pro,r1-1776 2 8
ai21/jamba-1-5-mini,ai21/jamba-1.6-mini,jamba-1.6-mini 0.2 0.4
ai21/jamba-instruct 0.5 0.7
aion-labs/aion-1.0 4 8
aion-labs/aion-1.0-mini 0.7 1.4
aion-labs/aion-2.0 0.8 1.6 0.2
aion-labs/aion-rp-llama-3.1-8b,dobby-mini-unhinged-plus-llama-3.1-8b,gemma-2-9b-it,llama-3.1-sonar-small-128k-online,llama-guard-2-8b,meta-llama/llama-guard-2-8b,mistral-7b-instruct-v0.2,mistralai/mistral-7b-instruct-v0.1,mistralai/mistral-7b-instruct-v0.2,perplexity/llama-3.1-sonar-small-128k-online,qwen-2.5-vl-7b-instruct,qwen/qwen-2.5-vl-7b-instruct,qwen/qwen2.5-coder-7b-instruct,qwen/qwq-32b-preview,qwq-32b-preview 0.2 0.2
all-hands/openhands-lm-32b-v0.1,eva-qwen-2.5-32b,eva-unit-01/eva-qwen-2.5-32b,openhands-lm-32b-v0.1 2.6 3.4
allenai/olmo-3-32b-think 0.15 0.5
alpindale/goliath-120b 6.5625 9.375
alpindale/magnum-72b,anthracite-org/magnum-v4-72b,neversleep/llama-3.1-lumimaid-70b 1.5 2.25
amazon/nova-2-lite-v1 0.3 2.5
amazon/nova-lite-v1,qwen/qwen3-14b 0.06 0.24
amazon/nova-micro-v1 0.035 0.14
amazon/nova-premier-v1 2.5 12.5 0.625
amazon/nova-pro-v1,qwen-vl-max,qwen/qwen-vl-max 0.8 3.2
anthropic/claude-2,anthropic/claude-2.0,anthropic/claude-2.0:beta,anthropic/claude-2.1,anthropic/claude-2.1:beta,anthropic/claude-2:beta,claude-2,claude-2.0,claude-2.0:beta,claude-2.1,claude-2.1:beta,claude-2:beta 8 24
anthropic/claude-3-haiku,anthropic/claude-3-haiku:beta 0.25 1.25
anthropic/claude-3-opus,anthropic/claude-3-opus:beta 15 75
anthropic/claude-3-sonnet,anthropic/claude-3-sonnet:beta,anthropic/claude-3.5-sonnet,anthropic/claude-3.5-sonnet-20240620:beta,anthropic/claude-3.5-sonnet:beta,anthropic/claude-3.7-sonnet,anthropic/claude-3.7-sonnet:beta,anthropic/claude-3.7-sonnet:thinking,cohere/command-r-plus,cohere/command-r-plus-04-2024,command-r-plus,command-r-plus-04-2024,perplexity/sonar-pro,x-ai/grok-3-beta 3 15
anthropic/claude-3.5-haiku,anthropic/claude-3.5-haiku-20241022:beta,anthropic/claude-3.5-haiku:beta 0.8 4
anthropic/claude-4.5-haiku-20251001,anthropic/claude-4.5-haiku-20251001:beta,anthropic/claude-haiku-4.5,anthropic/claude-haiku-4.5-20251001:beta,anthropic/claude-haiku-4.5:beta,~anthropic/claude-haiku-latest 1 5 0.1 1.25
anthropic/claude-4.5-opus-20251124,anthropic/claude-4.5-opus-20251124:beta,anthropic/claude-4.6-opus-20260205,anthropic/claude-4.6-opus-20260205:beta,anthropic/claude-opus-4.5,anthropic/claude-opus-4.5-20251124:beta,anthropic/claude-opus-4.5:beta,anthropic/claude-opus-4.6,anthropic/claude-opus-4.6-20260205:beta,anthropic/claude-opus-4.6:beta,anthropic/claude-opus-4.7,anthropic/claude-opus-4.7:beta,anthropic/claude-opus-4.8,anthropic/claude-opus-4.8:beta,anthropic/claude-opus-5,anthropic/claude-opus-5:beta 5 25 0.5 6.25
anthropic/claude-4.5-sonnet-20250929,anthropic/claude-4.5-sonnet-20250929:beta,anthropic/claude-sonnet-4.5,anthropic/claude-sonnet-4.5-20250929:beta,anthropic/claude-sonnet-4.5:beta 3 15 0.3 3.75 >200000 6 22.5 0.6 7.5
anthropic/claude-4.6-sonnet-20260217,anthropic/claude-4.6-sonnet-20260217:beta,anthropic/claude-sonnet-4,anthropic/claude-sonnet-4.6,anthropic/claude-sonnet-4.6-20260217:beta,anthropic/claude-sonnet-4.6:beta,claude-3-sonnet,claude-3-sonnet:beta,claude-3.5-sonnet,claude-3.5-sonnet-20240620:beta,claude-3.5-sonnet:beta,claude-3.7-sonnet,claude-3.7-sonnet:beta,claude-3.7-sonnet:thinking,~anthropic/claude-sonnet-latest 3 15 0.3 3.75
anthropic/claude-fable-5,anthropic/claude-fable-5:beta,anthropic/claude-opus-4.8-fast,anthropic/claude-opus-5-fast,~anthropic/claude-fable-latest 10 50 1 12.5
anthropic/claude-fable-5.1,anthropic/claude-fable-5.1:beta 10 50 0.25 12.5
anthropic/claude-opus-4,anthropic/claude-opus-4.1,claude-3-opus,claude-3-opus:beta 15 75 1.5 18.75
anthropic/claude-opus-4.6-fast,anthropic/claude-opus-4.7-fast 30 150 3 37.5
anthropic/claude-opus-5.5,anthropic/claude-opus-5.5:beta 4 20 0.2 5
anthropic/claude-sonnet-5,anthropic/claude-sonnet-5:beta 2 10 0.2 2.5
anubis-pro-105b-v1,thedrummer/anubis-pro-105b-v1 0.8 1
arcee-ai/coder-large,thedrummer/skyfall-36b-v2,valkyrie-49b-v1,virtuoso-medium-v2 0.5 0.8
arcee-ai/trinity-large-thinking 0.22 0.85 0.06
arcee-ai/trinity-mini 0.045 0.15
arcee-ai/virtuoso-large 0.75 1.2
arcee-blitz 0.45 0.75
baidu/ernie-4.5-vl-424b-a47b 0.42 1.25
bytedance-seed/seed-1.6,bytedance-seed/seed-2.0-lite 0.25 2
bytedance-seed/seed-1.6-flash,gemini-2.0-flash-lite-001,google/gemini-2.0-flash-lite-001,google/gemini-flash-1.5 0.075 0.3
bytedance-seed/seed-2.0-mini,deepseek/deepseek-r1-distill-llama-70b,gemini-2.5-flash-lite-preview-06-17,google/gemini-2.0-flash-001,google/gemini-2.5-flash-lite-preview-09-2025 0.1 0.4
bytedance/ui-tars-1.5-7b,deepseek-r1-distill-qwen-7b,google/gemma-3-27b-it,rekaai/reka-flash-3 0.1 0.2
caller-large 0.55 0.85
chatgpt-4o-latest,grok-beta,openai/chatgpt-4o-latest,openai/gpt-4o-2024-05-13,x-ai/grok-beta 5 15
codestral-2501,mistralai/codestral-2501 0.3 0.9
codex-mini,openai/codex-mini 1.5 6 0.375
cognitivecomputations/dolphin-mixtral-8x22b,dolphin-mixtral-8x22b,meta-llama/llama-2-70b-chat,mistralai/mixtral-8x22b-instruct,qwen-2-72b-instruct,qwen/qwen-2-72b-instruct,qwen/qwen2.5-vl-32b-instruct,qwen2.5-vl-32b-instruct 0.9 0.9
cognitivecomputations/dolphin-mixtral-8x7b,jondurbin/airoboros-l2-70b,microsoft/wizardlm-2-8x22b,thedrummer/unslopnemo-12b 0.5 0.5
cohere/command,command,google/palm-2-chat-bison,google/palm-2-chat-bison-32k,google/palm-2-codechat-bison,google/palm-2-codechat-bison-32k,gpt-3.5-turbo-1106,openai/gpt-3.5-turbo-0613,openai/gpt-3.5-turbo-1106 1 2
cohere/command-a,cohere/command-r-plus-08-2024,inflection/inflection-3-pi,inflection/inflection-3-productivity,openai/gpt-4o,openai/gpt-4o-audio-preview 2.5 10
cohere/command-r,cohere/command-r-03-2024,command-r,command-r-03-2024,google/gemini-pro,google/gemini-pro-vision,gpt-3.5-turbo-0125,magistral-small-2506,openai/gpt-3.5-turbo 0.5 1.5
cohere/command-r-08-2024,google/gemini-2.5-flash-preview,meta-llama/llama-4-maverick 0.15 0.6
cohere/command-r7b-12-2024,google/gemini-flash-1.5-8b 0.0375 0.15
deepcogito/cogito-v2.1-671b 1.25 1.25
deepseek-prover-v2 0.5 2.18
deepseek-r1-0528-qwen3-8b,google/gemma-3-12b-it,ibm-granite/granite-4.1-8b,microsoft/phi-4-multimodal-instruct,phi-4-multimodal-instruct 0.05 0.1
deepseek-r1-distill-llama-8b,deepseek/deepseek-r1-distill-llama-8b,ministral-3b,mistralai/ministral-3b 0.04 0.04
deepseek-r1-distill-qwen-1.5b,deepseek/deepseek-r1-distill-qwen-1.5b,scb10x/llama3.1-typhoon2-8b-instruct,spotlight 0.18 0.18
deepseek-r1-distill-qwen-14b,deepseek/deepseek-r1-distill-qwen-14b,essentialai/rnj-1-instruct,lfm-40b,liquid/lfm-40b 0.15 0.15
deepseek/deepseek-chat 0.38 0.89
deepseek/deepseek-chat-v3-0324 0.3 0.88
deepseek/deepseek-chat-v3.1 0.21 0.79 0.13
deepseek/deepseek-r1 0.45 2.15
deepseek/deepseek-r1-0528 0.5 2.15
deepseek/deepseek-r1-distill-qwen-32b 0.12 0.18
deepseek/deepseek-v3.1-terminus 0.23 0.9
deepseek/deepseek-v3.2 0.2288 0.3432
deepseek/deepseek-v3.2-exp 0.27 0.41
deepseek/deepseek-v4-flash 0.0983 0.1966 0.0197
deepseek/deepseek-v4-pro 0.435 0.87 0.003625
devstral-small,google/gemma-3n-e4b-it 0.06 0.12
eva-llama-3.33-70b,eva-qwen-2.5-72b,eva-unit-01/eva-llama-3.33-70b,llama-3-lumimaid-70b,magnum-72b 4 6
eva-unit-01/eva-qwen-2.5-72b 0.9 1.2
gemini-2.0-flash-001 0.1 0.4 0.025 0.1833
gemini-2.5-flash-preview,gemini-2.5-flash-preview-05-20 0.15 0.6 0.0375 0.2333
gemini-2.5-flash-preview-05-20:thinking,gemini-2.5-flash-preview:thinking 0.15 3.5 0.0375 0.2333
gemini-flash-1.5 0.075 0.3 0.01875 0.1583
gemini-flash-1.5-8b 0.0375 0.15 0.01 0.0583
gemini-pro-1.5,google/gemini-pro-1.5 1.25 5
glm-4-32b,glm-z1-32b,glm-z1-rumination-32b,mistralai/mixtral-8x7b-instruct 0.24 0.24
glm-5v-turbo,z-ai/glm-5-turbo 1.2 4 0.24
goliath-120b 10 12.5
google/gemini-2.5-flash 0.3 2.5 0.075 0.3833
google/gemini-2.5-flash-lite 0.1 0.4 0.01 0.08333333333333334
google/gemini-2.5-flash-preview-09-2025 0.3 2.5 0.075 0.383
google/gemini-2.5-flash-preview:thinking 0.15 3.5
google/gemini-2.5-pro,google/gemini-2.5-pro-preview,google/gemini-2.5-pro-preview-05-06 1.25 10 0.31 1.625
google/gemini-2.5-pro-preview-03-25 1.25 10
google/gemini-3-flash-preview 0.5 3 0.05 0.08333333333333334
google/gemini-3.1-flash-lite,google/gemini-3.1-flash-lite-preview 0.25 1.5 0.025 0.08333333333333334
google/gemini-3.1-pro-preview,google/gemini-3.1-pro-preview-customtools,~google/gemini-pro-latest 2 12 0.2 0.375
google/gemini-3.5-flash,~google/gemini-flash-latest 1.5 9 0.15 0.08333333333333334
google/gemma-2-27b-it,llama-3.1-405b-instruct,meta-llama/llama-3.1-405b-instruct,midnight-rose-70b,sophosympatheia/midnight-rose-70b 0.8 0.8
google/gemma-2-9b-it,microsoft/wizardlm-2-7b,openchat/openchat-7b,undi95/toppy-m-7b 0.07 0.07
google/gemma-3-4b-it 0.02 0.04
google/gemma-4-26b-a4b-it 0.06 0.33
google/gemma-4-31b-it 0.12 0.36 0.09 2026-08-27 0.09 0.34 0.05
gpt-4-0314,openai/gpt-4 30 60
gpt-4-1106-preview,openai/gpt-4-1106-preview,openai/gpt-4-turbo,openai/gpt-4-turbo-preview 10 30
gpt-4.5-preview 75 150 37.5
gpt-4o:extended,openai/gpt-4o:extended 6 18
grok-2-1212,x-ai/grok-2-1212 2 10
grok-3,grok-3-beta 3 15 0.75
grok-3-mini,grok-3-mini-beta 0.3 0.5 0.075
gryphe/mythomax-l2-13b 0.065 0.065
hermes-2-pro-llama-3-8b 0.025 0.04
ibm-granite/granite-4.0-h-micro 0.017 0.112
inception/mercury-2 0.25 0.75 0.025
inclusionai/ling-2.6-1t,inclusionai/ring-2.6-1t 0.075 0.625 0.015
inclusionai/ling-2.6-flash 0.01 0.03 0.002
kwaipilot/kat-coder-pro-v2,minimax/minimax-m3 0.3 1.2 0.06
l3-euryale-70b,sao10k/l3-euryale-70b 1.48 1.48
latitudegames/wayfarer-large-70b-llama-3.3 0.8 0.9
lfm-3b,liquid/lfm-3b 0.02 0.02
lfm-7b,liquid/lfm-7b 0.01 0.01
liquid/lfm-2-24b-a2b 0.03 0.12
llama-3-lumimaid-8b,llama-3.1-lumimaid-8b 0.2 1.25
llama-3.1-405b,meta-llama/llama-3.1-405b 2 2
llama-3.1-lumimaid-70b 2.5 3
llama-3.1-nemotron-70b-instruct,nvidia/llama-3.1-nemotron-70b-instruct 0.12 0.3
llama-3.1-nemotron-ultra-253b-v1 0.6 1.8
llama-3.1-sonar-large-128k-online,microsoft/phi-3-medium-128k-instruct,perplexity/llama-3.1-sonar-large-128k-online,perplexity/sonar,phi-3-medium-128k-instruct 1 1
llama-3.3-nemotron-super-49b-v1 0.13 0.4
llama3.1-typhoon2-70b-instruct,scb10x/llama3.1-typhoon2-70b-instruct 0.88 0.88
maestro-reasoning 0.9 3.3
magistral-medium-2506,magistral-medium-2506:thinking 2 5
mancer/weaver 1.125 1.125
mercury-coder-small-beta 0.25 1
meta-llama/llama-2-13b-chat 0.22 0.22
meta-llama/llama-3-70b-instruct 0.3 0.4
meta-llama/llama-3-8b-instruct 0.03 0.06
meta-llama/llama-3.1-70b-instruct 0.1 0.28
meta-llama/llama-3.1-8b-instruct 0.02 0.03
meta-llama/llama-3.2-1b-instruct 0.005 0.01
meta-llama/llama-3.2-3b-instruct 0.01 0.02
meta-llama/llama-3.3-70b-instruct 0.05 0.24
meta-llama/llama-4-scout 0.08 0.3
meta-llama/llama-guard-3-8b 0.02 0.06
meta-llama/llama-guard-4-12b 0.05 0.05
microsoft/phi-3-mini-128k-instruct,microsoft/phi-3.5-mini-128k-instruct,ministral-8b,mistral/ministral-8b,mistralai/ministral-8b,mistralai/pixtral-12b,phi-3-mini-128k-instruct,phi-3.5-mini-128k-instruct,pixtral-12b,qwen/qwen3-235b-a22b-thinking-2507,rekaai/reka-edge 0.1 0.1
microsoft/phi-4 0.07 0.14
microsoft/phi-4-mini-instruct 0.08 0.35
minimax-m1:extended 0.55 2.2
minimax/minimax-01,prime-intellect/intellect-3 0.2 1.1
minimax/minimax-m1 0.3 1.65
minimax/minimax-m2 0.255 1 0.03
minimax/minimax-m2-her 0.3 1.2 0.03
minimax/minimax-m2.1 0.29 0.95 0.03
minimax/minimax-m2.5 0.15 0.9 0.05
minimax/minimax-m2.7 0.27 1.08 0.054
mistral-7b-instruct,mistral-7b-instruct-v0.3 0.028 0.054
mistral-7b-instruct-v0.1 0.11 0.19
mistral-large-2411,mistralai/mistral-large,mistralai/mistral-large-2407,mistralai/pixtral-large-2411,pixtral-large-2411 2 6
mistral-medium,mistralai/mistral-medium 2.75 8.1
mistral-small,mistralai/mistral-saba,mistralai/mistral-small 0.2 0.6
mistral-tiny,mistralai/codestral-mamba,mistralai/mistral-tiny 0.25 0.25
mistralai/codestral-2508 0.3 0.9 0.03
mistralai/devstral-2512,mistralai/mistral-medium-3.1 0.4 2 0.04
mistralai/ministral-14b-2512 0.2 0.2 0.02
mistralai/ministral-3b-2512 0.1 0.1 0.01
mistralai/ministral-8b-2512 0.15 0.15 0.015
mistralai/mistral-7b-instruct,mistralai/mistral-7b-instruct-v0.3 0.029 0.059
mistralai/mistral-large-2512 0.5 1.5 0.05
mistralai/mistral-medium-3 0.4 2
mistralai/mistral-medium-3-5 1.5 7.5
mistralai/mistral-nemo 0.01 0.019
mistralai/mistral-small-24b-instruct-2501 0.05 0.09
mistralai/mistral-small-2603,upstage/solar-pro-3 0.15 0.6 0.015
mistralai/mistral-small-3.1-24b-instruct 0.05 0.15
mistralai/mistral-small-3.2-24b-instruct 0.075 0.2
mixtral-8x7b-instruct 0.08 0.24
moonshotai/kimi-k2 0.57 2.3
moonshotai/kimi-k2-0905,moonshotai/kimi-k2-thinking 0.6 2.5
moonshotai/kimi-k2.5 0.4 1.9 0.09
moonshotai/kimi-k2.6,~moonshotai/kimi-latest 0.68 3.41 0.34
moonshotai/kimi-k2.7-code 0.75 3.5 0.16
moonshotai/kimi-k3 3 15 0.3
morph/morph-v3-large 0.9 1.9
neversleep/llama-3-lumimaid-70b 3.375 4.5
neversleep/llama-3-lumimaid-8b,neversleep/llama-3-lumimaid-8b:extended,neversleep/llama-3.1-lumimaid-8b 0.09375 0.75
neversleep/noromaid-20b 0.75 1.5
noromaid-20b 1.25 2
nous-hermes-2-mixtral-8x7b-dpo,qwen/qwen-2.5-vl-72b-instruct 0.6 0.6
nvidia/llama-3.3-nemotron-super-49b-v1.5 0.4 0.4
nvidia/nemotron-3-nano-30b-a3b,qwen/qwen-turbo 0.05 0.2
nvidia/nemotron-3-super-120b-a12b 0.09 0.45
nvidia/nemotron-3-ultra-550b-a55b 0.5 2.5 0.15
nvidia/nemotron-nano-9b-v2 0.04 0.16
o1-mini,openai/o3-mini,openai/o3-mini-high 1.1 4.4 0.55
o1-preview,openai/o1 15 60 7.5
openai/gpt-3.5-turbo-16k 3 4
openai/gpt-3.5-turbo-instruct 1.5 2
openai/gpt-4-32k,openai/gpt-4-32k-0314 60 120
openai/gpt-4.1,openai/o3 2 8 0.5
openai/gpt-4.1-mini 0.4 1.6 0.1
openai/gpt-4.1-nano 0.1 0.4 0.025
openai/gpt-4.5-preview 75 150
openai/gpt-4o-mini 0.15 0.6 0.075
openai/gpt-5,openai/gpt-5-chat,openai/gpt-5-codex,openai/gpt-5.1-codex-max 1.25 10 0.125
openai/gpt-5-mini,openai/gpt-5.1-codex-mini 0.25 2 0.025
openai/gpt-5-nano 0.05 0.4 0.01
openai/gpt-5-pro 15 120
openai/gpt-5.1,openai/gpt-5.1-chat,openai/gpt-5.1-codex 1.25 10 0.13
openai/gpt-5.2,openai/gpt-5.2-chat,openai/gpt-5.2-codex,openai/gpt-5.3-chat,openai/gpt-5.3-codex 1.75 14 0.175
openai/gpt-5.2-pro 21 168
openai/gpt-5.4 2.5 15 0.25 >272000 5 22.5 0.5
openai/gpt-5.4-mini,~openai/gpt-mini-latest 0.75 4.5 0.075
openai/gpt-5.4-nano 0.2 1.25 0.02
openai/gpt-5.4-pro,openai/gpt-5.5-pro 30 180 >272000 60 270
openai/gpt-5.5 5 30 0.5 >272000 10 45 1
openai/gpt-5.6-luna 0.2 1.2 0.02 0.25 >272000 0.4 1.8 0.04 0.5
openai/gpt-5.6-sol,openai/gpt-6-sol,openai/gpt-6-sol-pro 2 10 0.2 2.5 >272000 4 15 0.4 5
openai/gpt-5.6-terra 2 12 0.2 2.5 >272000 4 18 0.4 5
openai/gpt-6-luna,openai/gpt-6-luna-pro 0.1 0.5 0.01 0.125 >272000 0.2 0.75 0.02 0.25
openai/gpt-6-luna-pro:batch,openai/gpt-6-luna:batch 0.05 0.25 0.005 0.0625 >272000 0.1 0.375 0.01 0.125
openai/gpt-6-sol-pro:batch,openai/gpt-6-sol:batch 1 5 0.1 1.25 >272000 2 7.5 0.2 2.5
openai/gpt-chat-latest,~openai/gpt-latest 5 30 0.5
openai/gpt-oss-120b 0.039 0.18
openai/gpt-oss-20b 0.029 0.14
openai/gpt-oss-safeguard-20b 0.075 0.3 0.037
openai/o1-mini 1.1 4.4
openai/o1-pro 150 600
openai/o3-pro 20 80
openai/o4-mini,openai/o4-mini-high 1.1 4.4 0.275
perceptron/perceptron-mk1 0.15 1.5
perplexity/sonar-reasoning,sonar-reasoning 1 5
phi-4-reasoning-plus 0.07 0.35
pygmalionai/mythalion-13b 0.5625 1.125
qwen-max 1.6 6.4 0.64
qwen-turbo 0.05 0.2 0.02
qwen-vl-plus,qwen/qwen-vl-plus 0.21 0.63
qwen/qwen-2.5-72b-instruct 0.12 0.39
qwen/qwen-2.5-7b-instruct 0.04 0.1
qwen/qwen-2.5-coder-32b-instruct 0.06 0.15
qwen/qwen-max 1.6 6.4
qwen/qwen-plus 0.4 1.2 0.16
qwen/qwen-plus-2025-07-28 0.26 0.78
qwen/qwen-plus-2025-07-28:thinking 0.26 0.78 0.26 0.325
qwen/qwen2.5-vl-72b-instruct 0.7 0.7
qwen/qwen3-235b-a22b 0.13 0.6
qwen/qwen3-235b-a22b-2507 0.09 0.1
qwen/qwen3-30b-a3b 0.08 0.29
qwen/qwen3-30b-a3b-instruct-2507 0.04815 0.19305
qwen/qwen3-30b-a3b-thinking-2507 0.08 0.4
qwen/qwen3-32b 0.1 0.3
qwen/qwen3-8b 0.035 0.138
qwen/qwen3-coder,qwen/qwen3-coder-480b-a35b-07-25 0.22 1.8
qwen/qwen3-coder-30b-a3b-instruct 0.07 0.27
qwen/qwen3-coder-flash 0.195 0.975 0.039 0.24375
qwen/qwen3-coder-next 0.11 0.8 0.07
qwen/qwen3-coder-plus 0.65 3.25 0.13 0.8125
qwen/qwen3-max 1.2 6
qwen/qwen3-max-thinking 0.78 3.9
qwen/qwen3-next-80b-a3b-instruct,qwen/qwen3-next-80b-a3b-instruct-2509 0.09 1.1
qwen/qwen3-next-80b-a3b-thinking,qwen/qwen3-next-80b-a3b-thinking-2509 0.0975 0.78
qwen/qwen3-vl-235b-a22b-instruct 0.2 0.88 0.11
qwen/qwen3-vl-235b-a22b-thinking 0.26 2.6
qwen/qwen3-vl-30b-a3b-instruct 0.13 0.52
qwen/qwen3-vl-30b-a3b-thinking 0.13 1.56
qwen/qwen3-vl-32b-instruct 0.104 0.416
qwen/qwen3-vl-8b-instruct 0.08 0.5
qwen/qwen3-vl-8b-thinking 0.117 1.365
qwen/qwen3.5-122b-a10b 0.26 2.08
qwen/qwen3.5-27b 0.195 1.56
qwen/qwen3.5-35b-a3b 0.14 1 0.05
qwen/qwen3.5-397b-a17b 0.39 2.34
qwen/qwen3.5-9b 0.1 0.15
qwen/qwen3.5-flash-02-23,qwen/qwen3.5-flash-20260224 0.065 0.26
qwen/qwen3.5-plus-02-15,qwen/qwen3.5-plus-20260216 0.4 2.4
qwen/qwen3.5-plus-20260420 0.3 1.8 0.3 0.375
qwen/qwen3.6-27b 0.289 2.4
qwen/qwen3.6-35b-a3b 0.14 1
qwen/qwen3.6-flash 0.1875 1.125 0.1875 0.234375
qwen/qwen3.6-max-preview 1.04 6.24 1.04 1.3
qwen/qwen3.6-plus,qwen/qwen3.6-plus-04-02 0.325 1.95 0.325 0.40625
qwen/qwen3.7-max 1.25 3.75 0.25 1.5625
qwen/qwen3.7-plus 0.4 1.6 0.08 0.5
qwen/qwq-32b,qwq-32b 0.15 0.2
raifle/sorcererlm-8x22b,sorcererlm-8x22b 4.5 4.5
relace/relace-apply-3 0.85 1.25
sao10k/l3-lunaris-8b 0.02 0.05
sao10k/l3.1-euryale-70b,sao10k/l3.3-euryale-70b 0.7 0.8
steelskull/l3.3-electra-r1-70b 0.7 0.95
stepfun/step-3.5-flash 0.09 0.3 0.02
stepfun/step-3.7-flash 0.2 1.15 0.04
switchpoint/router 0.85 3.4
tencent/hunyuan-a13b-instruct 0.14 0.57
tencent/hy3-preview 0.063 0.21 0.021
thedrummer/cydonia-24b-v4.1 0.3 0.5 0.15
thedrummer/rocinante-12b 0.25 0.5
writer/palmyra-x5 0.6 6
x-ai/grok-3-mini-beta 0.3 0.5
x-ai/grok-4-fast 0.2 0.5 0.05 >128000 0.4 1 0.05
x-ai/grok-4.20,x-ai/grok-4.3 1.25 2.5 0.2
x-ai/grok-4.20-multi-agent 2 6 0.2
x-ai/grok-build-0.1 1 2 0.2
x-ai/grok-code-fast-1 0.2 1.5 0.02
xiaomi/mimo-v2-flash 0.1 0.3 0.01
xiaomi/mimo-v2.5 0.14 0.28 0.0028
xiaomi/mimo-v2.5-pro 0.435 0.87 0.0036
xwin-lm/xwin-lm-70b 3.75 3.75
z-ai/glm-4.5 0.6 2.2 0.11
z-ai/glm-4.5-air 0.125 0.85 0.06
z-ai/glm-4.5v 0.6 1.8 0.11
z-ai/glm-4.6 0.43 1.74 0.08
z-ai/glm-4.6v 0.3 0.9 0.05
z-ai/glm-4.7 0.4 1.75 0.08
z-ai/glm-4.7-flash 0.06 0.4 0.01
z-ai/glm-5 0.6 1.92 0.12
z-ai/glm-5.1 0.98 3.08 0.182
z-ai/glm-5.2,z-ai/glm-5.3 1.4 4.4 0.26
z-ai/glm-5.3-flash 0.075 0.25 0.015
~anthropic/claude-opus-latest 5 25 0.5 6.25 2026-09-22 4 20 0.2 5
`;
