import { z } from 'zod';
import { amount, dateTime, textMap } from './values.ts';

/** POST /v2/omni-link/consumer/checkout and …/application, 201. Source: reference, Omni-link. */
export const createdLink = z.strictObject({
  url: z.string().nullish(),
  qrCode: z.base64().nullish(),
  linkId: z.string().optional(),
});

const applicationStatus = z.enum([
  'Started',
  'Prequalified',
  'PendingConsumer',
  'PendingLender',
  'Approved',
  'Confirmed',
  'Completed',
  'Declined',
  'Cancelled',
  'Failed',
]);

const account = z.strictObject({
  accountStatus: z.string().optional(),
  accountToken: z.string().optional(),
  lenderId: z.string(),
  lenderName: z.string(),
  creditInfo: z.strictObject({ amount: amount.optional(), availableAmount: amount.optional() }),
});

/** GET /v2/omni-link/consumer/{linkId}: includes neither the consumer nor the cart. */
export const link = z.strictObject({
  createdAt: dateTime.optional(),
  updatedAt: dateTime.optional(),
  linkType: z
    .enum([
      'ConsumerApplication',
      'ConsumerCheckout',
      'ConsumerResume',
      'ConsumerModifyLoan',
      'ConsumerAdditionalAction',
      'ConsumerLookup',
      'MerchantApplication',
    ])
    .optional(),
  linkStatus: z.enum(['New', 'Accessed', 'Expired']).optional(),
  applicationDetails: z
    .strictObject({
      channel: z.string(),
      tags: textMap.optional(),
      requestedLoanAmount: amount.optional(),
      currency: z.string().optional(),
      creditTiers: z.array(z.enum(['Prime', 'NearPrime', 'SubPrime'])).optional(),
      correlationId: z.string().optional(),
      language: z.enum(['en', 'fr']).optional(),
    })
    .optional(),
  merchantDetails: z
    .strictObject({
      storeId: z.string().optional(),
      posId: z.string().optional(),
      posType: z.enum(['GenericMerchantDevice', 'GenericConsumerDevice']).optional(),
      externalUserId: z.string().optional(),
    })
    .optional(),
  applications: z
    .array(
      z.strictObject({
        applicationId: z.string().optional(),
        applicationStatus: applicationStatus.optional(),
        consumerId: z.string().optional(),
        accounts: z.array(account).optional(),
        checkoutDetails: z
          .strictObject({
            lenderId: z.string().optional(),
            lenderName: z.string().optional(),
            confirmationToken: z.string().optional(),
          })
          .optional(),
      }),
    )
    .optional(),
});
