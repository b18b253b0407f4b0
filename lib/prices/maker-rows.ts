/**
 * Prices of the models' makers and of Bedrock, written by `npm run prices` from @pydantic/genai-prices 0.1.8 (MIT). A line `@prefix source` begins a
 * section, whose names have the prefix. A row has names, then US dollars per million tokens of input, output, cached and written input (the input price
 * if absent), and behind `>200000` or a day the prices of longer prompts or from
 * then on.
 */
export const makerRows = `
@ https://developers.openai.com/api/docs/pricing
chatgpt-4o-latest,gpt-4o-2024-05-13 5 15
codex-mini 1.5 6 0.375
gpt-3.5-turbo,gpt-3.5-turbo-0125 0.5 1.5
gpt-3.5-turbo-0301,gpt-3.5-turbo-0613,gpt-3.5-turbo-instruct,gpt-3.5-turbo-instruct-0914 1.5 2
gpt-3.5-turbo-1106 1 2
gpt-3.5-turbo-16k,gpt-3.5-turbo-16k-0613 3 4
gpt-4,gpt-4-0314,gpt-4-0613 30 60
gpt-4-0125-preview,gpt-4-1106-preview,gpt-4-turbo,gpt-4-turbo-0125-preview,gpt-4-turbo-preview 10 30
gpt-4.1 2 8 0.5
gpt-4.1-mini 0.4 1.6 0.1
gpt-4.1-nano 0.1 0.4 0.025
gpt-4.5-preview 75 150 37.5
gpt-4o 2.5 10 1.25
gpt-4o-mini,gpt-4o-mini-search-preview 0.15 0.6 0.075
gpt-5,gpt-5-chat,gpt-5-codex,gpt-5.1,gpt-5.1-chat,gpt-5.1-codex,gpt-5.1-codex-max 1.25 10 0.125
gpt-5-mini,gpt-5.1-codex-mini,gpt-5.1-mini 0.25 2 0.025
gpt-5-nano 0.05 0.4 0.005
gpt-5-pro 15 120
gpt-5.2,gpt-5.2-chat,gpt-5.2-codex,gpt-5.3,gpt-5.3-chat,gpt-5.3-codex 1.75 14 0.175
gpt-5.2-pro 21 168
gpt-5.4 2.5 15 0.25 >271999 5 22.5 0.5
gpt-5.4-mini 0.75 4.5 0.075
gpt-5.4-nano 0.2 1.25 0.02
gpt-5.4-pro,gpt-5.5-pro 30 180 >271999 60 270
gpt-5.5,gpt-5.5-chat,gpt-5.5-codex 5 30 0.5 >271999 10 45 1
gpt-5.6,gpt-5.6-sol 5 30 0.5 6.25 >271999 10 45 1 12.5 2026-08-21 4 20 0.4 5 >271999 8 30 0.8 10
gpt-5.6-luna 1 6 0.1 1.25 >271999 2 9 0.2 2.5 2026-07-30 0.2 1.2 0.02 0.25 >271999 0.4 1.8 0.04 0.5
gpt-5.6-terra 2.5 15 0.25 3.125 >271999 5 22.5 0.5 6.25 2026-07-30 2 12 0.2 2.5 >271999 4 18 0.4 5
gpt-6-astra 10 50 1 12.5 >271999 20 75 2 25
gpt-6-luna 0.1 0.5 0.01 0.125 >272000 0.2 0.75 0.02 0.25
gpt-6-sol 2 10 0.2 2.5 >272000 4 15 0.4 5
gpt-chat-latest 5 30 0.5
o1,o1-preview 15 60 7.5
o1-mini,o3-mini,o3-mini-high 1.1 4.4 0.55
o1-pro 150 600
o3 10 40 0.5 2025-06-10 2 8 0.5
o3-pro 20 80
o4-mini,o4-mini-high 1.1 4.4 0.275
text-ada-001 0.4 0.4
text-curie-001 2 2
text-embedding-3-large 0.13 0
text-embedding-3-small 0.02 0
text-embedding-ada,text-embedding-ada-002-v2 0.1 0
@ https://platform.claude.com/docs
claude-3-5-haiku 0.8 4 0.08 1
claude-3-5-sonnet,claude-3-7-sonnet,claude-3-sonnet,claude-sonnet-4,claude-sonnet-4-0 3 15 0.3 3.75
claude-3-haiku 0.25 1.25 0.03 0.3
claude-3-opus,claude-opus-4,claude-opus-4-0,claude-opus-4-1 15 75 1.5 18.75
claude-fable-5 10 50 1 12.5
claude-fable-5-1 10 50 0.25 12.5
claude-haiku-4-5 1 5 0.1 1.25
claude-opus-4-5,claude-opus-4-7,claude-opus-4-8,claude-opus-5 5 25 0.5 6.25
claude-opus-4-6 5 25 0.5 6.25 >200000 10 37.5 1 12.5 2026-03-13 5 25 0.5 6.25
claude-opus-5-5 4 20 0.2 5
claude-sonnet-4-5 3 15 0.3 3.75 >200000 6 22.5 0.6 7.5
claude-sonnet-4-6 3 15 0.3 3.75 >200000 6 22.5 0.6 7.5 2026-03-13 3 15 0.3 3.75
claude-sonnet-5 2 10 0.2 2.5
@ https://ai.google.dev/gemini-api/docs/pricing
gemini-2.0-flash 0.1 0.4 0.025
gemini-2.0-flash-lite 0.075 0.3
gemini-2.5-flash,gemini-2.5-flash-preview-09-2025,gemini-3.5-flash-lite 0.3 2.5 0.03
gemini-2.5-flash-lite 0.1 0.4 0.01
gemini-2.5-flash-preview,gemini-2.5-flash-preview-05-20:thinking,gemini-2.5-flash-preview:thinking 0.15 0.6
gemini-2.5-pro 1.25 10 0.125 >200000 2.5 15 0.25
gemini-3-flash-preview 0.5 3 0.05
gemini-3-pro-preview,gemini-3-pro-text-preview,gemini-3.1-pro-preview 2 12 0.2 >200000 4 18 0.4
gemini-3.1-flash-lite 0.25 1.5 0.025
gemini-3.5-flash 1.5 9 0.15
gemini-3.6-flash,gemini-3.7-flash,gemini-3.8-flash 0.75 3.75 0.075 2027-01-01 1.5 7.5 0.15
gemini-embedding-001 0.15 0
gemini-embedding-2 0.2 0
@mistral/ https://mistral.ai/pricing
codestral,codestral-2501 0.3 0.9
codestral-2508 0.3 0.9 0.03
devstral-2512 0.4 2 0.04
devstral-small,devstral-small-2505,devstral-small-2507,labs-devstral-small-2512 0.1 0.3
magistral-medium 2 5
magistral-small 0.5 1.5
ministral-14b-2512 0.2 0.2 0.02
ministral-3b 0.04 0.04
ministral-3b-2512 0.1 0.1 0.01
ministral-8b,ministral-8b-2410,mistral-embed 0.1 0.1
ministral-8b-2512 0.15 0.15 0.015
mistral-7b,mistral-tiny,open-mistral-7b 0.25 0.25
mistral-nemo,open-mistral-nemo,pixtral-12b 0.15 0.15
mistral-saba 0.2 0.6
mistral-small-24b-instruct-2501 0.05 0.08
mistral-small-2603 0.15 0.6 0.015
mistral-small-3.1-24b-instruct 0.351 0.555
mistral-small-3.2-24b-instruct 0.075 0.2
mixtral-8x22b-instruct 0.9 0.9
mixtral-8x7b,open-mixtral-8x7b 0.7 0.7
pixtral-large,pixtral-large-2411 2 6
@ https://mistral.ai/pricing
codestral-latest 0.3 0.9
devstral-small-latest,mistral-small-latest 0.1 0.3
ministral-8b-latest 0.1 0.1 2025-12-02 0.15 0.15 0.015
mistral-large,mistral-large-2407,mistral-large-2411,pixtral-large-latest 2 6
mistral-large-2512 0.5 1.5 0.05
mistral-medium,mistral-medium-2505,mistral-medium-2508,mistral-medium-3-1 0.4 2 0.04
mistral-medium-2312 2.7 8.1
mistral-medium-3,mistral-medium-3-5,mistral-medium-3.5 1.5 7.5 0.15
mistral-medium-latest 0.4 2 0.04 2026-06-16 1.5 7.5 0.15
mistral-saba-latest 0.2 0.6
pixtral-12b-latest 0.15 0.15
@deepseek/ https://api-docs.deepseek.com/quick_start/pricing
deepseek-v3.1-terminus 0.27 0.95 0.13
deepseek-v3.2 0.2288 0.3432
deepseek-v3.2-exp 0.27 0.41
@ https://docs.x.ai/docs/models
grok-2,grok-2-1212 2 10
grok-3,grok-3-beta,grok-4,grok-4-0709 3 15 0.75
grok-3-fast,grok-3-fast-beta 5 25 1.25
grok-3-mini,grok-3-mini-beta 0.3 0.5 0.075
grok-3-mini-fast,grok-3-mini-fast-beta 0.6 4 0.15
grok-4-1-fast,grok-4-1-fast-non-reasoning,grok-4-1-fast-reasoning,grok-4-fast,grok-4-fast-non-reasoning,grok-4-fast-reasoning 0.2 0.5 0.05
grok-4.20,grok-4.3 1.25 2.5 0.2 >199999 2.5 5 0.4
grok-4.20-multi-agent 2 6 0.2
grok-4.5,grok-latest 2 6 0.3 >199999 4 12 0.6
grok-4.6 2 6 0.5 >199999 4 12 1
grok-build-0.1 1 2 0.2 >199999 2 4 0.4
grok-code-fast,grok-code-fast-1,grok-code-fast-1-0825 0.2 1.5 0.02
@ https://cohere.com/pricing
c4ai-aya-expanse-32b,c4ai-aya-expanse-8b 0.5 1.5
command 1 2
command-a,command-a-03-2025,command-r-plus,command-r-plus-08-2024 2.5 10
command-light 0.3 0.6
command-r,command-r-08-2024 0.15 0.6
command-r7b,command-r7b-12-2024 0.0375 0.15
embed-v4.0 0.12 0
@moonshotai/ https://platform.moonshot.ai/docs/pricing
kimi-k2 0.57 2.3
kimi-k2-0711-preview,kimi-k2-0905-preview,kimi-k2-thinking 0.6 2.5 0.15
kimi-k2-thinking-turbo,kimi-k2-turbo-preview 1.15 8 0.15
kimi-k2.5 0.6 3 0.1
kimi-k2.6 0.95 4 0.16
kimi-k2.7-code 0.95 4 0.19
kimi-k2.7-code-highspeed 1.9 8 0.38
kimi-k3 3 15 0.3
moonshot-v1-128k,moonshot-v1-128k-vision-preview 2 5
moonshot-v1-32k,moonshot-v1-32k-vision-preview 1 3
moonshot-v1-8k,moonshot-v1-8k-vision-preview 0.2 2
@zhipuai/ https://docs.z.ai/guides/overview/pricing
glm-4-air 0.069 0.069 0.034
glm-4-airx 1.379 1.379
glm-4-assistant 0.69 0.69
glm-4-flashx-250414 0.014 0.014 0.007
glm-4-long 0.138 0.138 0.069
glm-4-plus 0.69 0.69 0.345
glm-4.5-air 0.11 0.276 0.022
glm-4.7 0.276 1.103 0.055
glm-4.7-flashx 0.069 0.414 0.014
glm-5 0.552 2.483 0.138
glm-5-turbo 0.69 3.034 0.166
glm-5.1 0.828 3.31 0.179
glm-5.2,glm-5.3 1.103 3.862 0.276
glm-5.3-flash 0.055 0.193 0.016
@minimax/ https://platform.minimax.io/docs/guides/pricing
m2-her 0.3 1.2
minimax-01 0.2 1.1
minimax-m1 0.4 2.2
minimax-m2,minimax-m2.1,minimax-m2.5 0.3 1.2 0.03 0.375
minimax-m2.1-highspeed,minimax-m2.5-highspeed 0.6 2.4 0.03 0.375
minimax-m2.7 0.3 1.2 0.06 0.375
minimax-m2.7-highspeed 0.6 2.4 0.06 0.375
minimax-m3 0.3 1.2 0.06 >512000 0.6 2.4 0.12
@ https://aws.amazon.com/bedrock/pricing
amazon.nova-2-lite 0.33 2.75 0.0825
amazon.nova-lite 0.06 0.24 0.015
amazon.nova-micro 0.035 0.14 0.00875
amazon.nova-premier 2.5 12.5 0.625
amazon.nova-pro 0.8 3.2 0.2
amazon.titan-embed-text-v1 0.1 0
amazon.titan-text-express 0.2 0.6
amazon.titan-text-lite,mistral.mistral-7b-instruct 0.15 0.2
deepseek.r1 1.35 5.4
global.amazon.nova-2-lite 0.3 2.5 0.075
global.openai.gpt-5.6-luna 0.2 1.2 0.02 0.25 >271999 0.4 1.8 0.04 0.5
global.openai.gpt-5.6-sol 5 30 0.5 6.25 >271999 10 45 1 12.5 2026-08-21 4 20 0.4 5 >271999 8 30 0.8 10
global.openai.gpt-5.6-terra 2 12 0.2 2.5 >271999 4 18 0.4 5
google.gemma-3-12b-it 0.09 0.29
google.gemma-3-27b-it 0.23 0.38
google.gemma-3-4b-it 0.04 0.08
meta.llama3-1-70b-instruct,meta.llama3-2-90b-instruct,meta.llama3-3-70b-instruct 0.72 0.72
meta.llama3-1-8b-instruct 0.22 0.22
meta.llama3-2-11b-instruct 0.16 0.16
meta.llama3-2-1b-instruct,mistral.ministral-3-3b-instruct 0.1 0.1
meta.llama3-2-3b-instruct,mistral.ministral-3-8b-instruct 0.15 0.15
meta.llama3-70b-instruct 2.65 3.5
meta.llama3-8b-instruct 0.3 0.6
meta.llama4-maverick-17b-instruct 0.24 0.97
meta.llama4-scout-17b-instruct 0.17 0.66
mistral.devstral-2-123b 0.4 2
mistral.magistral-small-2509,mistral.mistral-large-3-675b-instruct 0.5 1.5
mistral.ministral-3-14b-instruct 0.2 0.2
mistral.mistral-large-2402 4 12
mistral.mistral-small-2402 1 3
mistral.mixtral-8x7b-instruct 0.45 0.7
mistral.pixtral-large-2502 2 6
nvidia.nemotron-nano-3-30b 0.06 0.24
nvidia.nemotron-nano-9b 0.06 0.23
nvidia.nemotron-super-3-120b 0.15 0.65
openai.gpt-5.4 2.75 16.5 0.275
openai.gpt-5.5 5.5 33 0.55
openai.gpt-5.6-luna 1.1 6.6 0.11 1.375 2026-07-30 0.22 1.32 0.022 0.275 >271999 0.44 1.98 0.044 0.55
openai.gpt-5.6-sol 5.5 33 0.55 6.875 >271999 11 49.5 1.1 13.75 2026-08-21 4.4 22 0.44 5.5 >271999 8.8 33 0.88 11
openai.gpt-5.6-terra 2.75 16.5 0.275 3.4375 2026-07-30 2.2 13.2 0.22 2.75 >271999 4.4 19.8 0.44 5.5
openai.gpt-oss-120b-1,qwen.qwen3-32b,qwen.qwen3-coder-30b-a3b 0.15 0.6
openai.gpt-oss-20b-1 0.07 0.3
qwen.qwen3-coder-480b-a35b 0.45 1.8
qwen.qwen3-vl-235b-a22b 0.53 2.66
writer.palmyra-x4 2.5 10
writer.palmyra-x5 0.6 6
@groq/ https://groq.com/pricing
deepseek-r1-distill-llama-70b 0.75 0.99
gemma-7b-it 0.07 0.07
gemma2-9b,gemma2-9b-it,llama-guard-3-8b,meta-llama/llama-guard-4-12b 0.2 0.2
llama-3.1-405b-reasoning,llama-3.1-70b-versatile,llama-3.3-70b-versatile,llama3-70b-8192 0.59 0.79
llama-3.1-8b-instant,llama3-8b-8192 0.05 0.08
llama-3.2-11b-text-preview 0.18 0.18
llama-3.2-1b-preview 0.04 0.04
llama-3.2-3b-preview 0.06 0.06
llama-3.2-90b-text-preview 0.9 0.9
llama-3.3-70b-specdec 0.59 0.99
llama2-70b-4096 0.7 0.8
llama3-groq-70b-8192-tool-use-preview 0.89 0.89
llama3-groq-8b-8192-tool-use-preview 0.19 0.19
meta-llama/llama-4-maverick-17b-128e-instruct 0.2 0.6
meta-llama/llama-4-scout-17b-16e-instruct 0.11 0.34
mistral-saba-24b 0.79 0.79
mixtral-8x7b-32768 0.24 0.24
moonshotai/kimi-k2-instruct,moonshotai/kimi-k2-instruct-0905 1 3 0.5
openai/gpt-oss-120b,openai/gpt-oss-safeguard-20b 0.15 0.6 0.075
openai/gpt-oss-20b 0.075 0.3 0.0375
qwen/qwen3-32b 0.29 0.59
`;
