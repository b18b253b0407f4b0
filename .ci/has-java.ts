/** Exits with 1, after a sentence, where no Java is installed that DynamoDB Local runs on. */
import { javaProblem } from "../infra/local/dynamodb/java.ts";

const problem = await javaProblem();
if (problem !== undefined) {
  console.log(`Nothing is tested on DynamoDB Local. ${problem}`);
  process.exitCode = 1;
}
