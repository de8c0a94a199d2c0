import { z } from 'zod';
import { problemsOf, type BodyProblem } from './problem.ts';
import { amount, dateTime } from './values.ts';

const always = {
  createdAt: dateTime,
  applicationId: z.string(),
  correlationId: z.string().nullish(),
};
const lenderId = z.string();
const withAmount = { lenderId, amount };
const withReason = { lenderId, reason: z.string() };
const withToken = { lenderId, amount, token: z.string() };

/** Fields of application events. Source: reference, merchant notifications. */
const applicationFields: Readonly<Record<string, z.ZodRawShape>> = {
  'application.created': { linkId: z.string().nullish() },
  'application.prequalified': withAmount,
  'application.approved': withAmount,
  'application.pending-lender': withReason,
  'application.pending-consumer': withReason,
  'application.pending-merchant': withReason,
  'application.declined': { lenderId },
  'application.cancelled': { lenderId },
  'application.apply-confirmed': withToken,
  'application.checkout-confirmed': withToken,
};

const applicationEvents = new Map(
  Object.entries(applicationFields).map(([eventType, fields]) => [
    eventType,
    z.strictObject({ eventType: z.string(), ...always, ...fields }),
  ]),
);

/** Old names that may arrive in addition to the new ones during the renaming. */
const accountEvents: readonly string[] = [
  'account.approved',
  'account.prequalified',
  'account.pending-lender',
  'account.pending-consumer',
  'account.declined',
];

const accountEvent = z.strictObject({
  eventType: z.string(),
  createdAt: dateTime,
  applicationId: z.string(),
  lenderId,
  consumerId: z.string(),
  amount: amount.optional(),
  merchantConsumerId: z.string().nullish(),
  lenderReferenceId: z.string().optional(),
  correlationId: z.string().nullish(),
});

/** A post-sale event: its fields are not documented, so only name and time can be checked. */
const postSaleEvent = z.looseObject({ eventType: z.string(), createdAt: dateTime.optional() });

const namedEvent = z.looseObject({ eventType: z.string() });

/** Returns the differences between a notification and the documented fields of its event. */
export function checkNotification(body: unknown): BodyProblem[] {
  const named = namedEvent.safeParse(body);
  if (!named.success) return problemsOf(named.error, body);
  const schema = schemaOf(named.data.eventType);
  if (!schema) {
    return [{ path: 'eventType', reason: 'the event is not published', unpublished: true }];
  }
  const checked = schema.safeParse(body);
  return checked.success ? [] : problemsOf(checked.error, body);
}

function schemaOf(eventType: string): z.ZodType | undefined {
  const applicationEvent = applicationEvents.get(eventType);
  if (applicationEvent) return applicationEvent;
  if (accountEvents.includes(eventType)) return accountEvent;
  return /^postsale\.(authorize|settle|refund)(\.accepted)?$/.test(eventType)
    ? postSaleEvent
    : undefined;
}
