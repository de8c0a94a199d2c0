import { prequalificationSchema } from '@financing-checkout/contract/storefront';
import { expect } from 'vitest';
import { createCompanion, keyOf } from '../companion.fixture.ts';
import { primed } from '../scripted-service.fixture.ts';

export const SESSION = 'POST /v3/session';
export const STATUS = 'GET /v2/checkout/applications/application-1/status';
export const TOKEN = 'GET /v2/checkout/applications/application-1/token';
export const HOUR = 3_600_000;

export const request = { environment: 'sandbox', currency: 'USD', amount: 89_000 };
/** Returns the status response for an application without a cart. */
export const applied = (applicationStatus: string | null, change: object = {}) => ({
  status: 200,
  body: { sessionStatus: 'NOT COMPLETED', flowType: 'Apply', applicationStatus, ...change },
});
/** Returns the offers for a status response. */
export const offers = (...amounts: unknown[]) => ({
  offers: amounts.map((amount) => ({ code: 'A', financialProductType: 'Installments', amount })),
});

/** Creates a companion whose service opens applications without a cart. */
export async function setUp(change: Parameters<typeof createCompanion>[0] = {}) {
  const companion = await createCompanion(change);
  companion.service
    .on(SESSION, { ...primed, status: 200 })
    .on(STATUS, applied(null))
    .on(TOKEN, { status: 200, body: { sessionToken: 'session-token-2' } });
  const begin = (body: object = request, key = 'key-1') =>
    companion.post('/prequalifications', body, { 'idempotency-key': key });
  const read = (id: unknown, secret = keyOf('key-1')) =>
    companion.get(`/prequalifications/${String(id)}`, { 'financing-checkout-secret': secret });
  /** Starts a prequalification and returns what the page reads afterward. */
  async function begun() {
    const { id } = (await begin()).body;
    return async () => {
      const { status, body } = await read(id);
      expect(status).toBe(200);
      return prequalificationSchema.parse(body);
    };
  }
  return { ...companion, companion, begin, begun, read };
}
