import { type Access, createAccess } from '@financing-checkout/kit';
import type { Configuration } from '../config/config.ts';
import { type AccessToken, localScopes, reservedNames } from '../config/tokens.ts';
import { ProblemError } from '../platform/problem.ts';
import { requireOwnPage } from './pages.ts';

const codes = {
  unauthenticated: 'token-invalid',
  'not-permitted': 'token-not-permitted',
  'not-local': 'origin-not-allowed',
} as const;

/**
 * Creates access control for the API. Without tokens and sign-in, only programs and the console
 * have access; other pages do not.
 */
export function createApiAccess({ listener, signIn, tokens }: Configuration): Access<AccessToken> {
  return createAccess({
    tokens,
    signIn: signIn !== undefined,
    setting: 'RECONCILIATION_TOKENS',
    localScopes,
    reservedNames,
    refuse: ({ detail, reason }) => new ProblemError(codes[reason], { detail }),
    requireOwnPage: (request) => requireOwnPage(request, listener.url),
  });
}
