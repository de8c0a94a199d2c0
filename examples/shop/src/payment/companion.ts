import {
  checkoutRecordSchema,
  fundingsSchema,
  orderStatusesSchema,
  problemSchema,
  syncSchema,
  syncsSchema,
} from '@financing-checkout/contract';
import type {
  CheckoutRecord,
  Funding,
  FundingSync,
  OrderStatusRecord,
} from '@financing-checkout/contract';
import { z } from 'zod';

/** Why the companion's back office gave no answer. */
export class CompanionError extends Error {
  override readonly name = 'CompanionError';
  readonly code: 'unreachable' | 'token-refused' | 'request-refused' | 'answer-invalid';

  constructor(code: CompanionError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface FundingsReport {
  fundings: Funding[];
  /** How many more there are, which could not be read. */
  unreadable: number;
}

/** What the shop asks the companion's back office. */
export interface Companion {
  /** The checkouts of an order, those with a charge first. @throws {CompanionError} */
  checkouts(merchantOrderId: string): Promise<CheckoutRecord[]>;
  /** The fundings report, with transactions the service has no match for. @throws {CompanionError} */
  fundings(): Promise<FundingsReport>;
  /** Whether lenders paid for these orders, by the companion's arithmetic. @throws {CompanionError} */
  reconciled(merchantOrderIds: readonly string[]): Promise<OrderStatusRecord[]>;
  /** The last time fundings were read into the companion's books. @throws {CompanionError} */
  lastSync(): Promise<FundingSync | undefined>;
  /** Has fundings of these days read, both of them too. @throws {CompanionError} */
  sync(from: string, to: string): Promise<void>;
}

export interface CompanionOptions {
  /** Address of the back-office listener. */
  url: string;
  token: string | undefined;
  fetch?: typeof fetch;
  /** Longest wait for an answer, in milliseconds. */
  timeout?: number;
}

/** Orders the companion is asked about at once. */
const ASKED = 100;

const checkoutsSchema = z.object({
  checkouts: z.array(checkoutRecordSchema),
  next: z.string().optional(),
});

/** The companion's back office over HTTP, inside the merchant's network. */
export function createCompanion(options: CompanionOptions): Companion {
  const send = options.fetch ?? fetch;
  const base = options.url.endsWith('/') ? options.url : `${options.url}/`;

  const ask = async <T>(
    schema: z.ZodType<T>,
    path: string,
    { query = {}, body: sent }: { query?: Query; body?: object } = {},
  ) => {
    const address = new URL(`${path}?${new URLSearchParams(query).toString()}`, base);
    let response: Response;
    let body: string;
    try {
      response = await send(address, {
        ...(sent && { method: 'POST', body: JSON.stringify(sent) }),
        headers: {
          accept: 'application/json',
          ...(sent && { 'content-type': 'application/json' }),
          ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
        },
        // A redirect would carry the token to an address nobody configured.
        redirect: 'error',
        signal: AbortSignal.timeout(options.timeout ?? 4_000),
      });
      body = await response.text();
    } catch (cause) {
      throw new CompanionError('unreachable', 'The companion gave no answer.', { cause });
    }
    if (response.status === 403) {
      throw new CompanionError('token-refused', refusal(response.status, parse(body)));
    }
    if (response.status === 401) {
      throw new CompanionError(
        'token-refused',
        'The companion refused the token: compare COMPANION_BACK_OFFICE_TOKEN on both sides.',
      );
    }
    if (!response.ok) {
      throw new CompanionError('request-refused', refusal(response.status, parse(body)));
    }
    const result = schema.safeParse(parse(body));
    if (!result.success) {
      throw new CompanionError('answer-invalid', 'The answer of the companion could not be read.');
    }
    return result.data;
  };

  return {
    // One page is enough: a checkout with a charge comes first, and nothing else pays for an order.
    checkouts: async (merchantOrderId) =>
      (await ask(checkoutsSchema, 'checkouts', { query: { merchantOrderId } })).checkouts,
    async fundings() {
      const query = { showMissing: 'true' };
      const { records, unreadableCount } = await ask(fundingsSchema, 'fundings/report', { query });
      return { fundings: records, unreadable: unreadableCount ?? 0 };
    },

    async reconciled(merchantOrderIds) {
      const found: OrderStatusRecord[] = [];
      for (let from = 0; from < merchantOrderIds.length; from += ASKED) {
        const ids = merchantOrderIds.slice(from, from + ASKED);
        const query = ids.map((id): [string, string] => ['merchantOrderId', id]);
        let next: string | undefined;
        do {
          const page = await ask(orderStatusesSchema, 'reconciliation/orders', {
            query: next === undefined ? query : [...query, ['after', next]],
          });
          found.push(...page.orders);
          next = page.next;
        } while (next !== undefined);
      }
      return found;
    },
    lastSync: async () => (await ask(syncsSchema, 'reconciliation/syncs')).syncs[0],
    async sync(from, to) {
      await ask(syncSchema, 'reconciliation/syncs', { body: { from, to } });
    },
  };
}

type Query = Record<string, string> | [string, string][];

/** Why, in the companion's words, with the id its log has; nothing personal is in them. */
function refusal(status: number, body: unknown): string {
  const { data: problem } = problemSchema.safeParse(body);
  if (problem === undefined) return `The companion answered ${status}.`;
  const { title, detail, requestId } = problem;
  const why = detail === undefined ? `${title}.` : `${title}. ${detail}`;
  return `The companion says: ${why} (${status}, ${requestId})`;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
