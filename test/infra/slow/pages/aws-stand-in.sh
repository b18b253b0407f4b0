#!/bin/sh
# Stands in for the AWS CLI where the commands of restore.md and teardown.md are tried: notes the words of each call, and
# prints what the page reads of the answer. In the working directory are resources.txt, what the stack has, streams.txt, the
# names of tables with a stream, stage.txt, the rate and the burst of the API's stage, and keys.txt, ids and names of keys.

printf '%s\037' "$@" >> calls.txt
echo >> calls.txt

call=$2
while [ $# -gt 0 ]; do
  case $1 in
    --query) query=$2 ;;
    --table-name) table=$2 ;;
    *throttling/rateLimit,value=*) rate=${1##*=} ;;
    *throttling/burstLimit,value=*) burst=${1##*=} ;;
    --stream-specification) echo "$table" >> streams.txt ;;
  esac
  shift
done
arn=arn:aws:dynamodb:eu-central-1:123456789012:table/$table

case "$call $query" in
  "list-stack-resources StackResourceSummaries[?ResourceType=='AWS::DynamoDB::Table'].[LogicalResourceId,PhysicalResourceId]")
    cat resources.txt ;;
  "list-stack-resources StackResourceSummaries[?ResourceType=='AWS::ApiGateway::RestApi'].PhysicalResourceId")
    echo a1b2c3d4e5 ;;
  "get-stage methodSettings.\"*/*\".[throttlingRateLimit,throttlingBurstLimit]") cat stage.txt ;;
  "update-stage ") printf '%s\t%s\n' "$rate" "$burst" > stage.txt ;;
  "get-api-keys items[].[id,name]") cat keys.txt ;;
  "describe-table Table.LatestStreamArn || Table.TableArn")
    if grep -qx "$table" streams.txt; then echo "$arn/stream/2026-11-21T02:31:07.417"; else echo "$arn"; fi ;;
  "describe-table Table.TableArn") echo "$arn" ;;
  "describe-table Table.[TableName,TableStatus]") echo "$table ACTIVE" ;;
  describe-* | list-stack-* | get-*)
    echo "The stand-in does not know $call $query." >&2
    exit 252 ;;
esac
