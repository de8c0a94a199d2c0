import { forwardedHeaders, PROXIES_RULE, readProxies } from '@financing-checkout/kit';
import {
  DEFAULT_LINK_MESSAGE_BUDGETS,
  DEFAULT_ORDER_BUDGETS,
  type LinkMessageBudgets,
  type OrderBudgets,
} from '../checkout/budgets.ts';
import { DEFAULT_TURNS } from '../platform/http/turns.ts';
import {
  DEFAULT_PREQUALIFICATION_BUDGET,
  type PrequalificationBudget,
} from '../prequalification/budget.ts';
import type { EnvironmentReader } from './reader.ts';

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

export function readLimits(env: EnvironmentReader): Limits {
  const proxies = env.text(
    'COMPANION_TRUSTED_PROXIES',
    (text) => readProxies(text) !== undefined,
    PROXIES_RULE,
  );
  return {
    perAddress: env.count('COMPANION_RATE_LIMIT_PER_ADDRESS', 120, 0, 1_000_000),
    concurrencyPerAddress: env.count(
      'COMPANION_CONCURRENCY_PER_ADDRESS',
      DEFAULT_TURNS,
      0,
      1_000_000,
    ),
    perKey: env.count('COMPANION_RATE_LIMIT_PER_KEY', 60_000, 0, 10_000_000),
    perOrder: readOrderBudgets(env),
    prequalifications: readPrequalificationBudget(env),
    linkMessages: {
      perRecipient: env.count(
        'COMPANION_RATE_LIMIT_LINK_MESSAGES_PER_RECIPIENT',
        DEFAULT_LINK_MESSAGE_BUDGETS.perRecipient,
        0,
        1_000,
      ),
      perToken: env.count(
        'COMPANION_RATE_LIMIT_LINK_MESSAGES_PER_TOKEN',
        DEFAULT_LINK_MESSAGE_BUDGETS.perToken,
        0,
        10_000,
      ),
    },
    trustedProxies: readProxies(proxies ?? 'loopback') ?? [],
    forwardedHeader:
      env.choice('COMPANION_FORWARDED_HEADER', forwardedHeaders, 'x-forwarded-for') ??
      'x-forwarded-for',
    concurrency: env.count('FINANCING_CONCURRENCY', 64, 1, 10_000),
    queue: env.count('FINANCING_QUEUE', 256, 0, 100_000),
  };
}

function readPrequalificationBudget(env: EnvironmentReader): PrequalificationBudget {
  const { perAddress, total } = DEFAULT_PREQUALIFICATION_BUDGET;
  return {
    perAddress: env.count(
      'COMPANION_RATE_LIMIT_PREQUALIFICATIONS_PER_ADDRESS',
      perAddress,
      0,
      1_000_000,
    ),
    total: env.count('COMPANION_RATE_LIMIT_PREQUALIFICATIONS', total, 0, 1_000_000),
  };
}

function readOrderBudgets(env: EnvironmentReader): OrderBudgets {
  const { openCheckouts, primes, refusals } = DEFAULT_ORDER_BUDGETS;
  const count = (name: Parameters<EnvironmentReader['count']>[0], fallback: number) =>
    env.count(name, fallback, 0, 1_000);
  return {
    openCheckouts: count('COMPANION_RATE_LIMIT_OPEN_PER_ORDER', openCheckouts),
    primes: count('COMPANION_RATE_LIMIT_PRIMES_PER_ORDER', primes),
    refusals: count('COMPANION_RATE_LIMIT_REFUSALS_PER_ORDER', refusals),
  };
}
