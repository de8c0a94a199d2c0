/*
 * Shared HTTP code: describes routes, checks access, parses requests and writes responses. Also
 * runs on edge runtimes.
 */
export { answerDocument, answerJson, completeHeaders } from './answers.ts';
export { actorOf, requireCaller } from './caller.ts';
export { requireEnvironment } from './requests.ts';
export type { HttpEnv, HttpVariables } from './env.ts';
export { type DescribedApi, type Json, jsonSchema, openApiDocument } from './openapi.ts';
export { createProblems, problemBody } from './problem.ts';
export { ProblemError, type ProblemExtras } from './problem-error.ts';
export { metricsRoute } from './route.ts';
export {
  type AnsweredRequest,
  incompleteBody,
  levelOf,
  MAX_SMALL_BODY_BYTES,
  maxBytesOf,
  type MeasuredRequest,
  readBody,
  refuseCodings,
  refuseMethod,
  refuseNul,
  refuseOtherMethods,
  refuseRest,
  trackRequests,
} from './requests.ts';
export { type Answer, type Content, type Route, route, type RouteDescription } from './route.ts';
export { type BudgetTerms, routeFor, routesOf, type RouteTerms } from './route.ts';
export { withBudgetTable, withRouteTable } from './route-table.ts';
export { createServing, type Input, queryOf, type RouteHandler } from './serving.ts';
