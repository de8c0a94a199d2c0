import type { forwardedHeaders } from '@financing-checkout/kit';
import type { LinkMessageBudgets, OrderBudgets, StartBudget } from '../checkout/budgets.ts';
import type { PrequalificationBudget } from '../prequalification/budget.ts';
import type { CompanionEnvironment } from './variables.ts';

/** Limits for requests, orders and calls. */
export interface Limits {
  /** Maximum number of requests per minute per client address; 0 means no limit. */
  perAddress: number;
  /** Maximum number of concurrent requests per client address; 0 means no limit. */
  concurrencyPerAddress: number;
  /**
   * Maximum number of requests per minute with the public key, for all shoppers together; 0 means
   * no limit.
   */
  perKey: number;
  /** Limits for one order. */
  perOrder: OrderBudgets;
  starts: StartBudget;
  prequalifications: PrequalificationBudget;
  /** Limits for the messages in which the service sends links. */
  linkMessages: LinkMessageBudgets;
  /**
   * Trusted proxies, which may report the client's address: IP addresses, or ranges such as
   * 10.0.0.0/8.
   */
  trustedProxies: string[];
  /**
   * The header that the trusted proxies write. A header that they only pass on may be forged by any
   * client.
   */
  forwardedHeader: (typeof forwardedHeaders)[number];
  /** Maximum number of concurrent calls to the service, and maximum number of queued calls. */
  concurrency: number;
  queue: number;
}

export function readLimits(env: CompanionEnvironment): Limits {
  return {
    perAddress: env.read('COMPANION_RATE_LIMIT_PER_ADDRESS'),
    concurrencyPerAddress: env.read('COMPANION_CONCURRENCY_PER_ADDRESS'),
    perKey: env.read('COMPANION_RATE_LIMIT_PER_KEY'),
    perOrder: {
      openCheckouts: env.read('COMPANION_RATE_LIMIT_OPEN_PER_ORDER'),
      primes: env.read('COMPANION_RATE_LIMIT_PRIMES_PER_ORDER'),
      refusals: env.read('COMPANION_RATE_LIMIT_REFUSALS_PER_ORDER'),
    },
    starts: {
      perAddress: env.read('COMPANION_RATE_LIMIT_STARTS_PER_ADDRESS'),
      perTicket: env.read('COMPANION_RATE_LIMIT_STARTS_PER_TICKET'),
    },
    prequalifications: {
      perAddress: env.read('COMPANION_RATE_LIMIT_PREQUALIFICATIONS_PER_ADDRESS'),
      total: env.read('COMPANION_RATE_LIMIT_PREQUALIFICATIONS'),
    },
    linkMessages: {
      perRecipient: env.read('COMPANION_RATE_LIMIT_LINK_MESSAGES_PER_RECIPIENT'),
      perToken: env.read('COMPANION_RATE_LIMIT_LINK_MESSAGES_PER_TOKEN'),
    },
    trustedProxies: env.read('COMPANION_TRUSTED_PROXIES'),
    forwardedHeader: env.read('COMPANION_FORWARDED_HEADER'),
    concurrency: env.read('FINANCING_CONCURRENCY'),
    queue: env.read('FINANCING_QUEUE'),
  };
}
