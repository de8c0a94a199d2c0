import { z } from 'zod';
import { lender } from './charges.ts';
import { amount } from './values.ts';

/** POST /v2/accounts/confirmation. Source: reference, Charge API, accounts. */
export const accountConfirmation = z.strictObject({ confirmationToken: z.string() });

/** GET /v2/accounts/{accountToken}. Our sources do not document the offer's fields. */
export const account = z.strictObject({
  consumerId: z.string(),
  lender,
  offer: z.unknown().optional(),
  applicationId: z.string().optional(),
  status: z.string().optional(),
  lenderSessionId: z.string().optional(),
});

/** GET /v2/accounts/{accountToken}/credit. */
export const accountCredit = z.strictObject({
  availableAmount: amount.optional(),
  originalAmount: amount.optional(),
});
