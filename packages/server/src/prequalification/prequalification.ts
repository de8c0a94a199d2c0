import { equalInConstantTime, isoTime } from '@financing-checkout/kit';
import type {
  Prequalification,
  PrequalificationRequest,
} from '@financing-checkout/contract/storefront';
import type { CheckoutContext } from '../checkout/context.ts';
import { presentationOf } from '../checkout/presentation.ts';
import { refuseOtherPage } from '../checkout/prime.ts';
import { randomId, sha256 } from '../platform/id.ts';
import { ProblemError } from '../platform/problem.ts';
import { type AppliedStatus, largestAmount } from '../service/application.ts';
import { serviceProblem } from '../service/problem.ts';
import type { PrequalificationRow } from '../store/store.ts';

type Status = Prequalification['status'];

/**
 * How long an application without a cart can be continued in a checkout (published contract,
 * section 8).
 */
const LIFETIME_MS = 3_600_000;

/**
 * Opens an application without a cart at the service, once per Idempotency-Key.
 * @throws {ProblemError}
 */
export async function openPrequalification(
  ctx: CheckoutContext,
  input: { body: PrequalificationRequest; key: string; origin: string; requestId: string },
): Promise<Prequalification> {
  const { body, key, origin, requestId } = input;
  refuseOtherPage(ctx, { body, origin });
  const { amount, currency, locale, returnUrl } = body;
  const fingerprint = await sha256(
    JSON.stringify([origin, currency, amount ?? null, returnUrl ?? null, locale ?? null]),
  );
  const now = ctx.clock.now();
  const { kind, row } = await ctx.store.claimPrequalification({
    id: randomId('prq'),
    environment: ctx.environment,
    secretHash: await sha256(key),
    fingerprint,
    status: 'open',
    currency,
    origin,
    returnUrl,
    locale,
    leaseUntil: now + ctx.timing.leaseMs,
    createdAt: now,
    expiresAt: now + LIFETIME_MS,
  });
  if (row.fingerprint !== fingerprint) {
    throw new ProblemError('idempotency-key-reused', {
      detail: 'Use a new Idempotency-Key for a request with another body.',
    });
  }
  if (kind === 'known') return presentStored(ctx, row);
  const result = await ctx.service.apply(
    { currency, requestedLoanAmount: amount, correlationId: row.id },
    { priority: 'page', requestId },
  );
  if (result.kind !== 'accepted') {
    // No money can have moved, so the client may retry with the same key.
    await ctx.store.releasePrequalification(row);
    throw serviceProblem(result, { movesMoney: false });
  }
  const session = { token: result.body.id, applicationId: result.body.applicationId };
  // The lease may have ended, in which case the session of the request that took over counts.
  const isOpened = await ctx.store.openPrequalification(row, session);
  if (!isOpened) throw inFlight();
  return presentStored(ctx, { ...row, session });
}

/**
 * Reads the current state of an application without a cart from the service. The shopper can
 * continue the application on another page: the response has a session token that the service has
 * just issued. The token opens the session of this application only, so all reads with its secret
 * may share the same token.
 * @param secret the Idempotency-Key of the request that opened it
 * @throws {ProblemError} `not-found`, including for a wrong secret
 */
export async function readPrequalification(
  ctx: CheckoutContext,
  { id, secret, requestId }: { id: string; secret: string; requestId: string },
): Promise<Prequalification> {
  const hash = await sha256(secret);
  const row = await ctx.store.findPrequalification(id);
  const isKnown = row?.environment === ctx.environment && equalInConstantTime(row.secretHash, hash);
  if (row?.session === undefined || !isKnown) {
    throw new ProblemError('not-found', {
      detail: 'Send the Idempotency-Key with which it was opened as Financing-Checkout-Secret.',
    });
  }
  if (final.has(row.status)) return present(row);
  const { applicationId } = row.session;
  const isOver = ctx.clock.now() >= row.expiresAt;
  const result = await ctx.pageReads.applied(applicationId, { priority: 'page', requestId });
  const isGone = isOver && result.kind === 'rejected';
  if (result.kind !== 'accepted' && !isGone) throw serviceProblem(result, { movesMoney: false });
  const applied = result.kind === 'accepted' ? result.body : nothing;
  const status = statusOf(applied, isOver);
  if (status !== row.status) await ctx.store.changePrequalification(id, status);
  const current = { ...row, status };
  if (status === 'prequalified') {
    return present(current, { amount: largestAmount(applied, row.currency) });
  }
  if (!continues(current)) return present(current);
  const sessionToken = await newToken(ctx, row.session, requestId);
  if (sessionToken === undefined) return present(current);
  return present(current, { presentation: presentationOf(ctx, { ...row, sessionToken }) });
}

const nothing: AppliedStatus = { status: undefined, isCompleted: false, amounts: [] };

const final = new Set<Status>(['declined', 'not-found', 'expired']);

function continues({ status }: PrequalificationRow): boolean {
  return status === 'open' || status === 'pending';
}

/**
 * Returns the status of an application. With an unknown value from the service, the shopper can
 * continue.
 * @param isOver whether a checkout can no longer continue it
 */
function statusOf({ status, isCompleted }: AppliedStatus, isOver: boolean): Status {
  if (status === undefined) return isOver || isCompleted ? 'not-found' : 'open';
  if (status === 'Declined') return 'declined';
  if (isOver || status === 'Expired') return 'expired';
  if (status.startsWith('Pending')) return 'pending';
  // This includes canceled applications: the shopper left and may continue, with a new application
  // if the service issues no token for this one.
  return creditStates.has(status) ? 'prequalified' : 'open';
}

/** States in which a lender offers credit. */
const creditStates = new Set(['Prequalified', 'Approved', 'Authorized']);

/**
 * Asks the service for a current token of the running session.
 * @returns undefined when the session has ended
 */
async function newToken(
  ctx: CheckoutContext,
  { applicationId, token }: NonNullable<PrequalificationRow['session']>,
  requestId: string,
): Promise<string | undefined> {
  const result = await ctx.pageReads.applicationToken(applicationId, {
    priority: 'page',
    requestId,
  });
  if (result.kind === 'accepted') return result.body.sessionToken ?? undefined;
  // Without a response, the initial token is the best one available.
  return result.kind === 'rejected' ? undefined : token;
}

/** Returns a stored prequalification. @throws {ProblemError} while another request is opening it */
function presentStored(ctx: CheckoutContext, row: PrequalificationRow): Prequalification {
  if (row.session === undefined) throw inFlight();
  const isOver = ctx.clock.now() >= row.expiresAt;
  const current = isOver && !final.has(row.status) ? { ...row, status: 'expired' as const } : row;
  if (!continues(current)) return present(current);
  const presentation = presentationOf(ctx, { ...row, sessionToken: row.session.token });
  return present(current, { presentation });
}

function present(
  { id, environment, status, session, expiresAt }: PrequalificationRow,
  more: Pick<Prequalification, 'amount' | 'presentation'> = {},
): Prequalification {
  return {
    id,
    environment,
    status,
    applicationId: session?.applicationId,
    expiresAt: isoTime(expiresAt),
    ...more,
  };
}

function inFlight(): ProblemError {
  return new ProblemError('idempotency-in-flight', { retrySafe: true, retryAfterSeconds: 1 });
}
