import { authorizerBounds } from "../../lib/aws/call-bounds.ts";
import { accessStore } from "../../lib/store/access/project-lookup.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { requiredNumber, variables } from "../../lib/wiring/environment.ts";
import { projectMaker } from "../../lib/wiring/first-use.ts";

/** Creates the project that an API key names for the first time; invoked by the API functions. */
export const handler = projectMaker(accessStore(connect(authorizerBounds), requiredNumber(variables.maxProjects)));
