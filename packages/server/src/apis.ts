import {
  describedTicketClaimsSchema,
  MAX_ORDER_TICKET_LENGTH,
  problems,
  problemSchema,
} from '@financing-checkout/contract';
import { jsonSchema, openApiDocument, routesOf } from '@financing-checkout/kit/http';
import type { Hono } from 'hono';
import { backOfficeRoutes } from './back-office/api.ts';
import { type CompanionOptions, resolveOptions } from './options.ts';
import type { Env } from './platform/http/requests.ts';
import { storefrontRoutes } from './storefront/api.ts';
import { version } from './version.ts';

/**
 * Creates the storefront API: what `<financing-checkout>` calls. A Hono app that can be served on
 * its own or mounted in another app.
 *
 * @example
 * ```ts
 * const app = new Hono();
 * app.route('/financing', createStorefrontApi(options));
 * ```
 * @throws {TypeError} for conflicting options, or options that would expose the key
 */
export function createStorefrontApi(options: CompanionOptions): Hono<Env> {
  return storefrontRoutes(resolveOptions(options), options);
}

/**
 * Creates the back-office API: charges, fundings and checkouts, for use within the merchant's own
 * network.
 * @throws {TypeError} for conflicting options
 */
export function createBackOfficeApi(options: CompanionOptions): Hono<Env> {
  const app = backOfficeRoutes(resolveOptions(options), { ...options, document });
  return app;

  /** Returns the OpenAPI document of both APIs, with the companion's default URLs. */
  function document() {
    return openApiDocument({
      title: 'Financing Checkout companion',
      version,
      problems,
      problemSchema,
      apis: [
        {
          tag: 'Storefront API',
          description: 'For pages of the shop, on the public listener. By default:',
          server: 'http://localhost:4000',
          routes: routesOf(createStorefrontApi(options)),
        },
        {
          tag: 'Back-office API',
          description: 'For the merchant’s own network, on the private listener. By default:',
          server: 'http://127.0.0.1:4001',
          routes: routesOf(app),
        },
      ],
      schemas: {
        OrderTicketClaims: {
          ...jsonSchema(describedTicketClaimsSchema, 'output'),
          description: ticketDescription,
        },
      },
      securitySchemes,
    });
  }
}

const securitySchemes = {
  'public-key': { type: 'http', scheme: 'bearer', description: 'The Public API Key.' },
  'back-office-token': {
    type: 'http',
    scheme: 'bearer',
    description:
      'A back-office token with the named scope. On loopback without configured tokens, `read` needs none.',
  },
  notification: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The value that was agreed with the financing service.',
  },
};

/** Describes a ticket, including the rules that JSON Schema cannot express. */
const ticketDescription = `The payload of an order ticket, a JWT (RFC 7519) signed with HS256, of at most ${MAX_ORDER_TICKET_LENGTH} characters in all. Amounts are integer minor units of \`currency\`. items + warranties (once a line) − discounts + tax + shipping + tax on shipping must equal \`totalAmount\`; the tax and the discounts of a line do not count. Lengths are in UTF-16 units. An optional text that is blank or null is absent, an optional object also if it is \`{}\` or \`[]\`, and a value of \`consumer\` that does not conform is left out.`;
