import { createHash } from 'node:crypto';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { isContinuable, isPending, type Application } from '../checkout/application.ts';
import { lenders } from '../lenders/lenders.ts';
import { readAsset } from '../platform/asset.ts';
import { toWireAmount } from '../platform/money.ts';
import type { Service } from '../service.ts';
import { promotionsFor } from './promotions.ts';
import { openSession } from './sdk-session.ts';
import { arrive } from './visit.ts';

/** Name of the only global that the script sets (published contract, browser SDK). */
export const SDK_GLOBAL = 'ChargeAfter';

/** The classic script: two modules wrapped in one function, so that it sets no other global. */
const script = `(() => {
${readAsset('sdk-promotions.js').replace('export function', 'function')}
${readAsset('sdk.js').replace(/^import .*$/m, '')}})();
`;

/** Integrity value for pages that load the script (Subresource Integrity 3.5). */
export const sdkIntegrity = `sha384-${createHash('sha384').update(script).digest('base64')}`;

/** Serves a stand-in for the service's browser SDK, and handles its requests. */
export function sdkRoutes(service: Service): Hono {
  const app = new Hono();
  app.get('/sdk.js', (c) =>
    c.body(script, 200, {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'no-cache',
      'X-Content-Type-Options': 'nosniff',
      // Browsers only check the integrity of CORS-readable responses.
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    }),
  );
  app.use('/sdk/*', async (c, next) => {
    await next();
    c.header('Access-Control-Allow-Origin', '*');
    c.header('Cache-Control', 'no-store');
  });
  app.get('/sdk/key', (c) => {
    const key = service.keys.identify(c.req.query('key') ?? '');
    const isGood = key?.kind === 'public' && key.slot !== 'outdated';
    return c.json({}, isGood ? 200 : 404);
  });
  app.get('/sdk/session', (c) => {
    const { session = '', key = '' } = c.req.query();
    const visit = { session, key, origin: '', returnUrl: '', locale: '' };
    const arrival = arrive(visit, service);
    if (arrival.kind === 'failed') return c.json({}, 404);
    return c.json(completionOf(arrival.application, service.clock.now()));
  });
  // The body is sent as plain text, because a JSON request would trigger a CORS preflight.
  const limited = bodyLimit({ maxSize: MAX_REQUEST_BYTES });
  const bodyOf = (c: Context): Promise<unknown> => c.req.json().catch(() => undefined);
  app.post('/sdk/session', limited, async (c) => c.json(openSession(await bodyOf(c), service)));
  app.post('/sdk/promotions', limited, async (c) =>
    c.json({ texts: promotionsFor(await bodyOf(c), service) }),
  );
  return app;
}

/** Maximum request size of the script, in bytes: the largest request is a cart. */
const MAX_REQUEST_BYTES = 1_048_576;

/**
 * Returns the `data` and `flowType` of a completion, and `decided`: the lenders for
 * `onApprovalStatusChange`.
 */
function completionOf(application: Application, now: number) {
  const { applicant, id, offers, session, state } = application;
  const { cart, currency, tax, total } = session;
  const amount = (minor: number) => toWireAmount(minor, currency);
  const isApply = session.flowType === 'Apply';
  const continues = isPending(state) || isContinuable(application, now);
  const chosen = offers.find(({ code }) => code === application.offerCode);
  return {
    flowType: session.flowType,
    applicationId: id,
    consumerId: `consumer-${id}`,
    consumerDetails: { ...applicant },
    totalAmount: amount(total),
    taxAmount: amount(tax),
    shippingAmount: cart?.shippingAmount ?? 0,
    ...(chosen && { lender: { id: chosen.lenderId, name: chosen.lenderName } }),
    // The same session continues.
    ...(continues && { continuationToken: application.sessionToken }),
    availableCredit: offers.map(({ lenderId, lenderName, creditLimit }) => ({
      lender: { id: lenderId, name: lenderName },
      creditAmount: amount(isApply ? creditLimit : total),
    })),
    decided: decisionsOf(application).map((decision) => ({
      ...decision,
      availableCredit: decision.status === 'DECLINE' ? 0 : amount(total),
    })),
  };
}

function decisionsOf({ decision, offers, offerCode, state }: Application) {
  const all = (status: string) =>
    lenders.map(({ id, name }) => ({ lenderId: id, lenderName: name, status }));
  if (state === 'Declined') return decision === 'no-lender' ? [] : all('DECLINE');
  if (isPending(state)) return all('PENDING');
  return offers.map(({ code, lenderId, lenderName }) => ({
    lenderId,
    lenderName,
    status: code === offerCode ? 'APPROVED' : 'PRE_APPROVED',
  }));
}
