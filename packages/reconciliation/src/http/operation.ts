import type { ProblemCode } from '@financing-checkout/contract';
import { MAX_SMALL_BODY_BYTES, route, type RouteDescription } from '@financing-checkout/kit/http';
import { z } from 'zod';
import type { Scope } from '../config/tokens.ts';

/** Limits that apply to a request before any work is done. */
export const budgets = {
  'sign-ins': 'failed sign-ins per minute of one client address, in memory',
  uploads: 'files that one token sends at the same time, in memory',
  previews: 'previews that wait for the one thread, in memory',
} as const;
export type Budget = keyof typeof budgets;

/** Reason for having no limit: reconciliation does not serve unknown callers. */
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

export const keyHeader = {
  'Idempotency-Key': '1 to 255 printable ASCII characters, new for each request.',
};

/**
 * An operation of the API. The companion calls the service, with the priorities of its own routes.
 */
export type Operation = RouteDescription<
  Scope | 'none',
  'charge' | 'report',
  Budget,
  ProblemCode
> & {
  /** Whether the operation accepts only the console's cookie, and no token. */
  isOfSession?: boolean;
};

/** Problems of every operation that needs a token. */
const common = [
  'invalid-request',
  'token-invalid',
  'token-not-permitted',
  'origin-not-allowed',
  'environment-mismatch',
  'not-ready',
  'provider-unavailable',
  'store-unavailable',
  'internal',
] as const satisfies readonly ProblemCode[];

/** Creates an operation of the API. */
export function operation<const Described extends Operation>(described: Described) {
  const { isOfSession = false, problems = [], scope } = described;
  const isPublic = scope === 'none';
  const schemes = isOfSession ? ['session'] : ['token', 'session'];
  return route({
    ...described,
    security: isPublic ? [] : schemes.map((scheme) => ({ [scheme]: [scope] })),
    problems: isPublic ? problems : [...common, ...problems],
  });
}

/** A query without parameters. */
export const noQuery = z.strictObject({});

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
