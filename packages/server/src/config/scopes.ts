import type { StatedToken } from '@financing-checkout/kit/env';

/**
 * The scopes of a back-office token. Each includes `read`. Without tokens, programs on this machine
 * have only `read`, because every other scope moves money, returns personal data, or sends messages
 * to the shop or to shoppers.
 * - `read`: read everything except personal data.
 * - `fundings`: read pages of fundings as the service sends them, with names and email addresses.
 * - `webhooks`: send messages to the shop again.
 * - `links`: create links to the checkout of an order, and read their URLs: the page behind a link
 *   shows the consumer's name, email address and phone number. A link moves no money, because a
 *   shopper must confirm an offer first.
 * - `money`: settle, refund and void charges, and resolve such operations.
 */
export const scopes = ['read', 'fundings', 'webhooks', 'links', 'money'] as const;
export type Scope = (typeof scopes)[number];

/** A bearer token of the back office. The log and resolutions show its name as the actor. */
export type BackOfficeToken = StatedToken<Scope>;

/** Name of the token with all scopes (COMPANION_BACK_OFFICE_TOKEN). */
export const SINGLE_TOKEN_NAME = 'back-office';
