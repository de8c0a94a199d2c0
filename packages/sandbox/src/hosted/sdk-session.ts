import { z } from 'zod';
import { isContinuable, type Application } from '../checkout/application.ts';
import { readSession } from '../checkout/session.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import { ServiceError } from '../platform/service-error.ts';
import type { Service } from '../service.ts';

const text = z.string().max(4096).optional();

/** The `present` options that select the session. The session schema validates the rest. */
const presentation = z.object({
  kind: z.enum(['apply', 'checkout']),
  key: z.string().max(4096),
  sessionToken: text,
  applicationId: text,
  cartDetails: z.unknown().optional(),
  consumerDetails: z
    .object({ firstName: text, lastName: text, email: text, mobilePhoneNumber: text })
    .optional(),
  currency: text,
  channel: text,
  promoCode: text,
});
type Presentation = z.output<typeof presentation>;

/** The session to show, or the published status code of the failure. */
type OpenedSession = { session: string } | { code: string };

/**
 * Opens the session for a `present` call, as the real script does with only the public key: an
 * application without an order, or a checkout that continues from one.
 */
export function openSession(body: unknown, service: Service): OpenedSession {
  const read = presentation.safeParse(body);
  if (!read.success) return { code: 'GENERAL' };
  const request = read.data;
  const key = service.keys.identify(request.key);
  const isUsable = key?.kind === 'public' && key.slot !== 'outdated';
  if (!isUsable) return failed(request);
  return request.kind === 'apply'
    ? created(request, key.environment, service)
    : continued(request, key.environment, service);
}

const failed = ({ kind }: Presentation) => ({
  code: kind === 'apply' ? 'CREATE_APPLICATION_FAILED' : 'CREATE_CHECKOUT_FAILED',
});

function continued(
  request: Presentation,
  environment: EnvironmentName,
  service: Service,
): OpenedSession {
  const { applications, clock } = service;
  const named = applications.bySessionToken(request.sessionToken ?? '');
  const own = named?.environment === environment ? named : undefined;
  const applied =
    request.applicationId === undefined
      ? own
      : applications.byId(environment, request.applicationId);
  const isContinued = applied !== undefined && isContinuable(applied, clock.now());
  if (own?.session.flowType === 'Checkout') {
    if (isContinued) applications.continueFrom(own, applied);
    return { session: own.sessionToken };
  }
  if (!isContinued) return failed(request);
  if (request.cartDetails === undefined) return { code: 'MISSING_CHECKOUT_DATA' };
  return created(request, environment, service, applied);
}

function created(
  request: Presentation,
  environment: EnvironmentName,
  { applications }: Service,
  applied?: Application,
): OpenedSession {
  const { kind, cartDetails, consumerDetails, currency, channel, promoCode } = request;
  const flowType = kind === 'apply' ? 'Apply' : 'Checkout';
  const checkoutDetails = { currency, channel, promoCode, flowType, source: 'Sdk' };
  const body = { checkoutDetails, ...(kind === 'checkout' && { cartDetails }), consumerDetails };
  try {
    const application = applications.create(environment, readSession(body, 'optional'));
    if (applied) applications.continueFrom(application, applied);
    return { session: application.sessionToken };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const isTotal = error.fields?.some(({ field }) => field === 'cartDetails.totalAmount');
    return isTotal ? { code: 'TOTAL_AMOUNT_MISMATCH' } : failed(request);
  }
}
