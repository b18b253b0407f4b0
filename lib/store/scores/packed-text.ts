import { dictionaryTexts } from "../../dynamo/bytes/dictionary-text.ts";

/** Packed texts of scores. The dictionary has what most of them contain: field names, metrics, statements, phrases. */
export const scoreTexts = dictionaryTexts(
  [
    " The agent. the. and, of the to a in is that did not it its was with by for on as from an answer user customer request ",
    "asked called record tool order The answer is not, but although because confirmation policy message before after ",
    "correctly Does not apply: , with a probability of 0.0. 1.0-2026-10-01T00:00:00.000000+00:00",
    '","statements":{"strategy":"yes","prevailing":"yes","consistent":"yes","unrepeated":"yes","calibrated":"yes"},',
    '"delivered":"yes","substantial":"yes","main":"yes","complete":"yes","exact":"yes","serving":"yes","necessary":"no",',
    '"mostly_fitting":"yes","helpful":"yes","lean":"yes","forward":"yes","mostly_needed":"yes","few_needless":"yes",',
    '"all_needed":"yes"],"tools_called":[{"name":"","parameters":{"query":"plan":[],"verdicts":[{"call":1,"reason":"",',
    '"verdict":"no","by":["grounded"]},{"call":2,"reason":"","verdict":"yes"}],"calls_judged":1,"calls_total":1,',
    '"probabilities":{"call_1":{"wanted":0.9,"allowed":0.9,"grounded":0.9},"call_2":{"NUMERIC","FAILED",null,"code":"',
    'BOOLEAN","PROGRAMMATIC","CATEGORICAL","ANNOTATION",argument_correctness","plan_adherence","plan_quality","',
    'confidence","coherence","0.0","step_efficiency","0.5","task_completion","0.75","tool_correctness","0.25","NUMERIC","',
    'SUCCESS","AUTOMATED"," (fully, by "","",": yes.) (not_at_all, with a probability of 0.","{"model":"openai/gpt-6-luna",',
    '"model":"systemone/","prompt_version":"","tokens":{"prompt":0,"completion":0,"cached":0,"written":0},"cost_usd":null,',
    '"cost_usd":0.000,"attempts":1,"temperature":0,"latency_ms":1,"coverage":{"shown_characters":,"total_characters":,',
    '"ratio":1},"trace_version":1,"user_input":"","task":"","outcome":"","note":"no_","level":"","confidence":0.,',
    '"expected_value":0.,"probabilities":{"evidence":[{"text":"","found":true,"span_id":null,"statements":[""]}],',
    '"evidence":[],"evidence_kind":"none","evidence_found":0,"shared_call":{"id":"","questions":5},"threshold":0.5,',
    '"success":false},"threshold":0.5,"success":true},"",null,"production",null,"2026-11-00:00","2026-{"j":"openai/gpt-#",',
    '"a":true,"c":[["",0],[null,""],"c":[],"x":1,"v":1,"w":"2026-:00+00:00"}]',
  ].join(""),
);
