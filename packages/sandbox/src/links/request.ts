import { z } from 'zod';
import { readSession, type Session } from '../checkout/session.ts';
import { currencyDigits } from '../platform/money.ts';
import {
  checkBody,
  errorCodes,
  invalidPayload,
  ServiceError,
  type FieldError,
} from '../platform/service-error.ts';

/**
 * The documented bodies of the two requests for a link. Addresses have no country, and the cart tax
 * is `totalTaxAmount`. Source: reference, Omni-link.
 */
const text = z.string().min(1, 'must not be empty');

const address = z.strictObject({
  // ISO 3166-2:US; the definition does not say whether the code includes the country.
  state: z.string().regex(/^(US-)?[A-Z]{2}$/, 'must be a state code of ISO 3166-2:US'),
  city: text,
  line1: text,
  zipCode: text,
  line2: z.string().optional(),
});

const consumer = z.strictObject({
  merchantConsumerId: z.string().optional(),
  firstName: text.optional(),
  lastName: text.optional(),
  email: text.optional(),
  mobilePhoneNumber: z.string().regex(/^\d+$/, 'must have digits only').optional(),
  billingAddress: address.optional(),
  shippingAddress: address.optional(),
});

const applicationDetails = z.strictObject({
  channel: z.enum(['E_COMMERCE', 'IN_STORE', 'CALL_CENTER', 'IN_HOME']),
  tags: z.record(z.string(), z.string()).optional(),
  requestedLoanAmount: z.number().positive('must be more than zero').optional(),
  currency: z
    .string()
    .refine((code) => currencyDigits(code) !== undefined, 'must be an ISO 4217 code')
    .optional(),
  creditTiers: z.array(z.enum(['Prime', 'NearPrime', 'SubPrime'])).optional(),
  correlationId: z.string().optional(),
  language: z.enum(['en', 'fr']).optional(),
});

const merchantDetails = z.strictObject({
  storeId: z.string().optional(),
  posId: z.string().optional(),
  posType: z.enum(['GenericMerchantDevice', 'GenericConsumerDevice']).optional(),
  externalUserId: z.string().optional(),
});

const webAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

const linkOptions = z.strictObject({
  linkFormat: z.enum(['Url', 'QrCode', 'UrlAndQrCode']).optional(),
  deliveryMethod: z.enum(['None', 'Email', 'Sms']).optional(),
  onSuccessRedirectUrl: webAddress.optional(),
  onFailureRedirectUrl: webAddress.optional(),
});

const cart = z.strictObject({
  items: z
    .array(
      z.strictObject({
        name: text,
        sku: text,
        price: z.number().min(0, 'must not be negative'),
        quantity: z.int32().positive('must be more than zero'),
        leasable: z.boolean().optional(),
        productCategory: z.string().optional(),
        warranty: z
          .strictObject({
            name: text,
            sku: text,
            price: z.number().min(0, 'must not be negative'),
          })
          .optional(),
      }),
    )
    .min(1, 'must not be empty'),
  totalAmount: z.number().positive('must be more than zero'),
  totalTaxAmount: z.number().optional(),
  shippingAmount: z.number().optional(),
  merchantOrderId: z.string().max(100, 'should be up to 100 characters').optional(),
  discounts: z
    .array(z.strictObject({ name: text, amount: z.number().positive('must be more than zero') }))
    .optional(),
});

const parts = {
  applicationDetails,
  consumer: consumer.optional(),
  merchantDetails: merchantDetails.optional(),
  linkOptions: linkOptions.optional(),
};
const schemas = {
  application: z.strictObject(parts),
  checkout: z.strictObject({
    ...parts,
    cart,
    checkoutOptions: z
      .strictObject({ charge: z.boolean().optional(), settle: z.boolean().optional() })
      .optional(),
  }),
};

/** What a link is for: only an application, or the checkout of a cart. */
export type LinkKind = keyof typeof schemas;
export type LinkRequest = z.output<typeof schemas.application> &
  Partial<z.output<typeof schemas.checkout>>;

/**
 * Reads the request for a link.
 * @returns the request, and the session that each application of the link starts with
 * @throws {ServiceError} 400 with codes 10000, 10001 and 10002; 403 with code 10101 or 10201, for the
 * last names listed in README.md
 */
export function readLinkRequest(
  kind: LinkKind,
  linkId: string,
  body: object,
): { request: LinkRequest; session: Session } {
  const request: LinkRequest = checkBody(schemas[kind], body, invalidPayload);
  const missing = missingFields(request);
  if (missing.length > 0) throw invalidPayload(missing);
  refuseByName(request);
  return { request, session: sessionOf(kind, linkId, request) };
}

/** Returns the missing fields that a delivery or an option requires. */
function missingFields({ consumer: person, linkOptions, checkoutOptions }: LinkRequest) {
  const needed = {
    None: [],
    Email: ['email', 'firstName', 'lastName'],
    Sms: ['mobilePhoneNumber', 'firstName', 'lastName'],
  } as const;
  const method = linkOptions?.deliveryMethod ?? 'None';
  const errors: FieldError[] = needed[method]
    .filter((name) => person?.[name] === undefined)
    .map((name) => ({
      field: `consumer.${name}`,
      error: `is required for ${method}`,
      code: errorCodes.fieldRequired,
    }));
  if (checkoutOptions?.settle === true && checkoutOptions.charge !== true) {
    errors.push({ field: 'checkoutOptions.settle', error: 'is only possible with charge' });
  }
  return errors;
}

function refuseByName({ consumer: person }: LinkRequest): void {
  const lastName = person?.lastName?.trim().toLowerCase();
  if (lastName === 'notenabled') {
    throw new ServiceError(403, errorCodes.optionNotEnabled, 'Selected option is not enabled');
  }
  if (lastName === 'optedout') {
    throw new ServiceError(403, errorCodes.optedOut, 'Consumer opted out');
  }
}

/** Maps cart field names in errors of the session to the names in this request. */
const ownNames: Readonly<Record<string, string>> = {
  'checkoutDetails.requestedLoanAmount': 'applicationDetails.requestedLoanAmount',
  'cartDetails.taxAmount': 'cart.totalTaxAmount',
};

function sessionOf(kind: LinkKind, linkId: string, request: LinkRequest): Session {
  const { applicationDetails: details, consumer: person, cart: order } = request;
  const { channel, currency, tags, requestedLoanAmount, correlationId } = details;
  const { storeId, posId, posType = 'GenericConsumerDevice' } = request.merchantDetails ?? {};
  const { firstName, lastName, email, mobilePhoneNumber, merchantConsumerId } = person ?? {};
  // The addresses are omitted, because no response and no page includes them.
  const consumerDetails = { firstName, lastName, email, mobilePhoneNumber, merchantConsumerId };
  const { totalTaxAmount, ...amounts } = order ?? {};
  const flowType = kind === 'checkout' ? 'Checkout' : 'Apply';
  try {
    return readSession(
      {
        checkoutDetails: { channel, currency, tags, requestedLoanAmount, correlationId, flowType },
        ...(order && { cartDetails: { ...amounts, taxAmount: totalTaxAmount } }),
        consumerDetails,
        merchantDetails: { storeId, posId, posType },
        linkId,
      },
      'optional',
    );
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.fields) throw error;
    throw invalidPayload(
      error.fields.map(({ field, error: reason }) => ({
        field: ownNames[field] ?? field.replace(/^cartDetails/, 'cart'),
        error: reason,
      })),
    );
  }
}
