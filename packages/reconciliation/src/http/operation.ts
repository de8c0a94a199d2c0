import type { Operation as Declaration, Table } from '@financing-checkout/contract/reconciliation';
import type { ProblemCode } from '@financing-checkout/contract/storefront';
import {
  type BudgetTerms,
  MAX_SMALL_BODY_BYTES,
  type Route,
  route,
  type RouteDescription,
} from '@financing-checkout/kit/http';
import { z } from 'zod';
import type { Scope } from '../config/tokens.ts';
import { fileQuery, listTypes } from './queries.ts';

/** Limits that apply to a request before any work is done. */
export const budgets = {
  'sign-ins': {
    counts: 'failed sign-ins with a token per minute of one client address, in memory',
    spentBy:
      'programs at that address, such as one that guesses tokens; no page of another site, which is refused before',
    neededBy: 'people at that address who sign in with a token',
  },
  returns: {
    counts: 'failed returns from the OpenID provider per minute of one client address, in memory',
    spentBy:
      'browsers and programs at that address that have begun a sign-in; no page of another site, which has no cookie of one',
    neededBy: 'people at that address who sign in through the provider',
  },
  logouts: {
    counts: 'invalid logout tokens per minute of one client address, in memory',
    spentBy: 'whoever reaches the program',
    neededBy: 'no one: a token is verified before, and a valid one is never refused',
  },
  uploads: {
    counts: 'files that one token sends at the same time, in memory',
    spentBy: 'that token',
    neededBy: 'that token',
  },
  previews: {
    counts: 'previews that wait for the one thread, in memory',
    spentBy: 'tokens with the scope `imports`',
    neededBy: 'tokens with the scope `imports`; imports do not need it',
  },
  exports: {
    counts: 'exports of one token and of all at the same time, in memory',
    spentBy: 'each token two of eight',
    neededBy: 'all tokens',
  },
} as const satisfies Record<string, BudgetTerms>;
export type Budget = keyof typeof budgets;

/** Why there is no limit: every caller has a token. */
export const ofTokens = { none: 'callers have a token' };

/** Properties of operations that read reconciliation's own data and call no service. */
export const ofQuestion = {
  scope: 'read',
  priorities: [],
  budgets: ofTokens,
  maxBodyBytes: 0,
} as const;

/** Properties of operations that change reconciliation's own data. */
export const ofChange = {
  method: 'post',
  priorities: [],
  budgets: ofTokens,
  maxBodyBytes: MAX_SMALL_BODY_BYTES,
} as const;

/** An operation of the API. The companion calls the service, with its own routes' priorities. */
export type Operation = RouteDescription<
  Scope | 'none',
  'charge' | 'report',
  Budget,
  ProblemCode
> & {
  /** Whether the operation accepts only the console's cookie, not a token. */
  isOfSession?: boolean;
};

/** Problems of every operation that needs a token. */
const common = [
  'invalid-request',
  'token-invalid',
  'session-ended',
  'token-not-permitted',
  'origin-not-allowed',
  'environment-mismatch',
  'not-ready',
  'store-unavailable',
  'internal',
] as const satisfies readonly ProblemCode[];

/** Problems of a body, by the declaration of its route. */
function ofBody({ body, maxBodyBytes }: Operation): ProblemCode[] {
  return [
    ...(maxBodyBytes === 0 ? [] : (['request-too-large'] as const)),
    ...(body === undefined ? [] : (['media-type-unsupported'] as const)),
  ];
}

export function operation<const Described extends Operation>(described: Described) {
  const { isOfSession = false, problems = [], scope } = described;
  const isPublic = scope === 'none';
  const schemes = isOfSession ? ['session'] : ['token', 'session'];
  return route({
    ...described,
    security: isPublic ? [] : schemes.map((scheme) => ({ [scheme]: [scope] })),
    problems: isPublic ? problems : [...common, ...ofBody(described), ...problems],
  });
}

/** Creates an operation that reads reconciliation's own data. */
export function reading<
  const Path extends string,
  const More extends Partial<Operation> = { scope: 'read' },
>(path: Path, summary: string, schema: z.ZodType, more = {} as More) {
  return operation({
    ...ofQuestion,
    method: 'get',
    path,
    summary,
    answers: { 200: { schema } },
    ...more,
  });
}

type Declared = Declaration<Scope> & { problems?: readonly ProblemCode[] };
type QueryOf<One> = One extends { query: infer Query extends z.ZodObject }
  ? { query: One extends { table: Table } ? z.ZodObject<Query['shape'] & typeof fileQuery> : Query }
  : object;
type BodyOf<One> = One extends { body: infer Body extends z.ZodObject }
  ? { body: { schema: Body } }
  : object;

export type DeclaredRoute<One extends Declared = Declared> = Route<Operation> &
  Pick<One, 'path' | 'table' | 'verb'> &
  QueryOf<One> &
  BodyOf<One>;

/**
 * Creates the routes of declared operations. A list is also available as a file. @param more their
 * calls to the service, and the size of a body
 */
export function routesOf<const Operations extends Readonly<Record<string, Declared>>>(
  operations: Operations,
  more: Partial<Pick<Operation, 'maxBodyBytes' | 'priorities'>> = {},
) {
  const routes = Object.entries(operations).map(([name, one]) => [name, routeOf(one, more)]);
  return Object.fromEntries(routes) as {
    [Name in keyof Operations]: DeclaredRoute<Operations[Name]>;
  };
}

function routeOf(
  { answer, body, file, query, ...one }: Declared,
  more: Partial<Pick<Operation, 'maxBodyBytes' | 'priorities'>>,
) {
  const isTable = one.table !== undefined;
  return operation({
    ...(one.method === 'get' ? ofQuestion : ofChange),
    ...one,
    ...more,
    ...(isTable && { budgets: ['exports'] as const }),
    query: isTable ? query?.extend(fileQuery) : query,
    ...(body && { body: { schema: body } }),
    answers: {
      200: {
        schema: answer ?? z.string(),
        contentTypes: file ?? ['application/json', ...(isTable ? listTypes : [])],
      },
    },
  });
}
