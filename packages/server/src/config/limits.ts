import type { forwardedHeaders } from '@financing-checkout/kit';
import type { LinkMessageBudgets, OrderBudgets } from '../checkout/budgets.ts';
import type { PrequalificationBudget } from '../prequalification/budget.ts';
import type { CompanionEnvironment } from './variables.ts';

/** Limits of requests, orders and calls. */
export interface Limits {
  /** Maximum requests per minute of one client address; 0 means no limit. */
  perAddress: number;
  /** Maximum requests of one client address that are worked on at a time; 0 means no limit. */
  concurrencyPerAddress: number;
  /** Maximum requests per minute with the public key, all shoppers together; 0 means no limit. */
  perKey: number;
  /** Limits for one order. */
  perOrder: OrderBudgets;
  prequalifications: PrequalificationBudget;
  /** Limits of the messages by which the service sends links. */
  linkMessages: LinkMessageBudgets;
  /** Proxies that may state the client's address: addresses, or ranges such as 10.0.0.0/8. */
  trustedProxies: string[];
  /** The header that those proxies write. A header that they only pass on may come from any client. */
  forwardedHeader: (typeof forwardedHeaders)[number];
  /** Maximum concurrent calls of the service, and maximum calls in the queue. */
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
