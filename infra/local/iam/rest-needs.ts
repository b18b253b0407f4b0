import { place } from "../template/arn.ts";
import type { Need } from "./decision.ts";

/** What a call of API Gateway's control plane, the one REST protocol here, needs: its method on its path. */
export const restNeeds = (method = "GET", url = "/"): readonly Need[] => {
  const [path] = url.split("?");
  return [
    {
      action: `apigateway:${method}`,
      resource: `arn:${place.partition}:apigateway:${place.region}::${path}`,
    },
  ];
};
