import { z } from 'zod';
import { amount, financialProductType } from './values.ts';

/** POST /v3/session; the prime operation has the same shape. Source: reference, Checkout. */
export const session = z.strictObject({
  id: z.string(),
  // The definition specifies no format for this string.
  expirationDate: z.string(),
  applicationId: z.string(),
  isContinuation: z.boolean().optional(),
  deviceSessionId: z.string().nullish(),
  merchantDetails: z.strictObject({ storeId: z.string().nullish() }).nullish(),
});

const discounts = z.array(z.strictObject({ name: z.string().nullish(), amount })).nullish();

const cartDetails = z.strictObject({
  merchantOrderId: z.string().nullish(),
  items: z.array(
    z.strictObject({
      name: z.string().nullish(),
      price: amount,
      sku: z.string().nullish(),
      quantity: z.int(),
      leasable: z.boolean().nullish(),
      productCategory: z.string().nullish(),
      warranty: z
        .strictObject({ name: z.string().nullish(), sku: z.string().nullish(), price: amount })
        .nullish(),
      taxAmount: amount.nullish(),
      discounts,
    }),
  ),
  discounts,
  taxAmount: amount.optional(),
  shippingTaxAmount: amount.nullish(),
  shippingAmount: amount.nullish(),
  totalAmount: amount,
});

export const applicationState = z.enum([
  'New',
  'Prequalified',
  'CheckoutInProgress',
  'PendingConsumer',
  'PendingLender',
  'PendingMerchant',
  'Approved',
  'Authorized',
  'Declined',
  'Expired',
  'Cancelled',
]);

const account = z.strictObject({
  lenderName: z.string(),
  lenderId: z.string(),
  creditInfo: z
    .strictObject({ availableCredit: amount.optional(), maxAmount: amount.nullish() })
    .nullish(),
  applicationStatus: applicationState.nullish(),
  applicationStatusReason: z
    .enum([
      'ApplicationNotCompleted',
      'AccountFrozen',
      'ConsumerBanned',
      'MissingESign',
      'UnderReview',
      'Error',
      'CallLenderToResolve',
      'DocumentUploadRequired',
    ])
    .nullish(),
  accountStatus: z
    .enum(['Inactive', 'PendingConsumer', 'PendingLender', 'PendingMerchant', 'Active'])
    .nullish(),
  accountStatusReason: z
    .enum([
      'ApplicationNotCompleted',
      'MissingStips',
      'MissingESign',
      'MissingConfirmation',
      'MissingStipsVerification',
      'MissingStipsReview',
      'LoanAlreadyUsed',
      'NoCreditAvailable',
      'CardValidationFailed',
      'CardValidationExpired',
    ])
    .nullish(),
  lenderReferenceId: z.string().nullish(),
});

const offer = z.strictObject({
  code: z.string(),
  financialProductType,
  amount,
  defaultAPR: z.number(),
  promoSettings: z
    .strictObject({
      numberOfPeriods: z.int().nullish(),
      periodicPayment: amount.nullish(),
      periodType: z.enum(['Day', 'Month', 'Week', 'BiWeek']).nullish(),
      apr: z.number().nullish(),
    })
    .nullish(),
  description: z.string().nullish(),
});

/**
 * GET /v2/checkout/applications/{applicationId}/status. It has no `status` or `state` field.
 * Source: reference, Checkout application status.
 */
export const applicationStatus = z.strictObject({
  sessionStatus: z.enum(['COMPLETED', 'NOT COMPLETED']),
  confirmationToken: z.string().nullish(),
  accountToken: z.string().nullish(),
  loanId: z.string().nullish(),
  consumerId: z.string().nullish(),
  flowType: z.enum(['Apply', 'Checkout']),
  storeId: z.string().nullish(),
  cartDetails: cartDetails.nullish(),
  applicationStatus: applicationState.nullish(),
  account: account.nullish(),
  confirmedOffer: offer.nullish(),
  offers: z.array(offer).nullish(),
  merchantConsumerId: z.string().nullish(),
  linkId: z.string().nullish(),
});

/** GET /v2/checkout/applications/{applicationId}/token. */
export const applicationToken = z.strictObject({ sessionToken: z.string().nullish() });
