import {
  describedTicketClaimsSchema,
  MAX_ORDER_TICKET_LENGTH,
  problems,
  problemSchema,
} from '@financing-checkout/contract/storefront';
import { jsonSchema, openApiDocument, routesOf } from '@financing-checkout/kit/http';
import type { Hono } from 'hono';
import { backOfficeRoutes } from './back-office/api.ts';
import { type BackgroundWork, createBackgroundWork } from './background.ts';
import { type CompanionOptions, contextOf } from './options.ts';
import type { Env } from './platform/http/requests.ts';
import { storefrontRoutes } from './storefront/api.ts';
import { version } from './version.ts';

/** A companion: its two APIs, and its work between requests. */
export interface Companion {
  /** What `<financing-checkout>` calls, to be served on its own or mounted in another Hono app. */
  storefront: Hono<Env>;
  /** Charges, fundings and checkouts, for use within the merchant's own network. */
  backOffice: Hono<Env>;
  background: BackgroundWork;
  /**
   * Resolves when no charge creation is still running in the background. Wait for it before closing
   * the store.
   */
  idle(): Promise<void>;
}

/**
 * Creates a companion.
 *
 * @example
 * ```ts
 * const { storefront, background } = createCompanion(options);
 * background.start();
 * const app = new Hono();
 * app.route('/financing', storefront);
 * ```
 * @throws {TypeError} for conflicting options, or options that would expose the key
 */
export function createCompanion(options: CompanionOptions): Companion {
  const ctx = contextOf(options, () => background.wake());
  const background = createBackgroundWork(ctx);
  const storefront = storefrontRoutes(ctx);
  const backOffice = backOfficeRoutes(ctx, document);
  return { storefront, backOffice, background, idle: () => ctx.inFlight.idle() };

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
          routes: routesOf(storefront),
        },
        {
          tag: 'Back-office API',
          description: 'For the merchant’s own network, on the private listener. By default:',
          server: 'http://127.0.0.1:4001',
          routes: routesOf(backOffice),
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
