import { z } from 'zod';
import { environmentSchema } from '../storefront/outcome.ts';

/** Body of `POST /console/session`: an API token. */
export const sessionRequestSchema = z.strictObject({ token: z.string().min(1).max(1_024) });

/** How people can sign in to the console. */
export const signInMethodsSchema = z.object({
  /** Whether `POST /console/session` accepts the access token of a person. */
  token: z.boolean(),
  /** The OpenID provider, if one is configured. */
  provider: z.object({ name: z.string(), startUrl: z.string() }).optional(),
});
export type SignInMethods = z.infer<typeof signInMethodsSchema>;

/**
 * Why a sign-in at the OpenID provider failed: the parameter `sign-in` of the page that the person
 * returns to.
 *
 * - `cancelled`: the person or the provider refused it.
 * - `expired`: it took too long, was used before, or began in another browser.
 * - `no-role`: no claim of the person is mapped to scopes.
 * - `too-many-groups`: the provider leaves the groups out, because there are too many.
 * - `no-name`: the person has no usable name.
 * - `answer-invalid`: the provider's answer belongs to another request, client or issuer, or its
 *   signature is wrong.
 * - `provider-refused`: the provider does not accept the client or its request.
 */
export const signInProblems = [
  'cancelled',
  'expired',
  'no-role',
  'too-many-groups',
  'no-name',
  'answer-invalid',
  'provider-refused',
  'provider-unavailable',
  'store-unavailable',
  'rate-limited',
] as const;
export type SignInProblem = (typeof signInProblems)[number];

/** Answer to a sign-out. `providerUrl` is present if the browser can end the provider's session, too. */
export const signOutSchema = z.object({
  /** Address of the provider, which leads the browser back to the console. */
  providerUrl: z.url(),
});
export type SignOut = z.infer<typeof signOutSchema>;

/** A user's session in the reconciliation console. Timestamps are ISO 8601 in UTC. */
export const sessionSchema = z.object({
  /** Name of the token or the person, as shown in the trail. */
  name: z.string(),
  /** What the session permits in addition to reading. */
  scopes: z.array(z.enum(['cases', 'sync', 'imports', 'rebuild', 'periods', 'money'])),
  environment: environmentSchema,
  /** IANA name of the business time zone, in which the console shows times. */
  zone: z.string(),
  /** When the session ends unless it is renewed. */
  idleEndsAt: z.iso.datetime(),
  /** When the session ends regardless of activity. */
  endsAt: z.iso.datetime(),
  /** Whether the program can also use the companion's money operations. */
  canMoveMoney: z.boolean(),
});
export type Session = z.infer<typeof sessionSchema>;
