import { checkoutRecordSchema, fundingsSchema } from '@financing-checkout/contract';
import type { CheckoutRecord, Funding } from '@financing-checkout/contract';
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

/** What the shop asks the companion's back office. */
export interface Companion {
  /** Every checkout of an order. @throws {CompanionError} */
  checkouts(merchantOrderId: string): Promise<CheckoutRecord[]>;
  /** The fundings report, with transactions the service has no match for. @throws {CompanionError} */
  fundings(): Promise<Funding[]>;
}

export interface CompanionOptions {
  /** Address of the back-office listener. */
  url: string;
  token: string | undefined;
  fetch?: typeof fetch;
  /** Longest wait for an answer, in milliseconds. */
  timeout?: number;
}

const checkoutsSchema = z.object({ checkouts: z.array(checkoutRecordSchema) });

/** The companion's back office over HTTP, inside the merchant's network. */
export function createCompanion(options: CompanionOptions): Companion {
  const send = options.fetch ?? fetch;
  const base = options.url.endsWith('/') ? options.url : `${options.url}/`;

  const get = async <T>(schema: z.ZodType<T>, path: string, query: Record<string, string>) => {
    const address = new URL(`${path}?${new URLSearchParams(query).toString()}`, base);
    let response: Response;
    let body: string;
    try {
      response = await send(address, {
        headers: {
          accept: 'application/json',
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
    if (response.status === 401 || response.status === 403) {
      throw new CompanionError(
        'token-refused',
        'The companion refused the token: compare COMPANION_BACK_OFFICE_TOKEN on both sides.',
      );
    }
    if (!response.ok) {
      throw new CompanionError('request-refused', `The companion answered ${response.status}.`);
    }
    const result = schema.safeParse(parse(body));
    if (!result.success) {
      throw new CompanionError('answer-invalid', 'The answer of the companion could not be read.');
    }
    return result.data;
  };

  return {
    checkouts: async (merchantOrderId) =>
      (await get(checkoutsSchema, 'checkouts', { merchantOrderId })).checkouts,
    fundings: async () =>
      (await get(fundingsSchema, 'fundings/report', { showMissing: 'true' })).records,
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
