import { authorizerBounds } from "../../lib/aws/call-bounds.ts";
import { accessStore } from "../../lib/store/access/projects-of-callers.ts";
import { connect } from "../../lib/store/database.ts";
import { requiredNumber, variables } from "../../lib/wiring/environment.ts";
import { projectMaker } from "../../lib/wiring/first-use.ts";

export const handler = projectMaker(accessStore(connect(authorizerBounds), requiredNumber(variables.maxProjects)));
