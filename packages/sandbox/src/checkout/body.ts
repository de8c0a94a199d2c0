import { z } from 'zod';
import { currencyDigits } from '../platform/money.ts';

/**
 * The documented body of a session request: required fields, enumerations, no other fields. Lengths
 * and amounts are unlimited, because no limits are documented. Amounts are decimal numbers in the
 * major unit. Source: reference, Checkout Management.
 */
const text = z.string().min(1, 'must not be empty');
const textMap = z.record(z.string(), z.string());

const address = z.strictObject({
  country: text,
  state: text,
  city: text,
  line1: text,
  zipCode: text,
  line2: z.string().nullish(),
});

const consumer = z.strictObject({
  firstName: text,
  lastName: text,
  email: text,
  shippingAddress: address,
  billingAddress: address,
  netMonthlyIncome: z.number(),
  dateOfBirth: z.iso.datetime({ offset: true, error: 'must be an ISO 8601 date-time' }),
  id: z.string().nullish(),
  mobilePhoneNumber: z.string().regex(/^\d+$/, 'must have digits only').nullish(),
  merchantConsumerId: z.string().nullish(),
  socialSecurityNumber: z
    .string()
    .regex(/^\d{9}$/, 'must have nine digits')
    .nullish(),
  additionalIds: z.strictObject({ socialInsuranceNumber: z.string().nullish() }).nullish(),
  annualNetIncome: z.number().nullish(),
  annualGrossIncome: z.number().nullish(),
  grossMonthlyIncome: z.number().nullish(),
  monthlyHousingPaymentIncome: z.number().nullish(),
  updatedIncomeType: z.enum(['MonthlyNet', 'MonthlyGross', 'AnnualNet', 'AnnualGross']).nullish(),
  housingStatus: z.enum(['OWN', 'RENT', 'OTHER']).nullish(),
  marriageStatus: z.enum(['Not Married', 'Married']).nullish(),
  spouseInfo: z
    .strictObject({
      spouseSameAddress: z.enum(['NO', 'YES']).nullish(),
      spouseAddress: address.nullish(),
      spouseFirstName: z.string().nullish(),
      spouseLastName: z.string().nullish(),
    })
    .nullish(),
  preferences: z
    .strictObject({
      language: z.enum(['En', 'Fr']).nullish(),
      marketingOptIn: z.boolean().nullish(),
    })
    .nullish(),
});

const discount = z.strictObject({ amount: z.number(), name: z.string().nullish() });

const item = z.strictObject({
  price: z.number(),
  quantity: z.int32(),
  name: z.string().nullish(),
  sku: z.string().nullish(),
  leasable: z.boolean().nullish(),
  productCategory: z.string().nullish(),
  warranty: z
    .strictObject({ price: z.number(), name: z.string().nullish(), sku: z.string().nullish() })
    .nullish(),
  taxAmount: z.number().nullish(),
  discounts: z.array(discount).nullish(),
});

const cart = z.strictObject({
  items: z.array(item),
  totalAmount: z.number(),
  merchantOrderId: z.string().nullish(),
  discounts: z.array(discount).nullish(),
  // The only optional amount that is not nullable.
  taxAmount: z.number().optional(),
  shippingTaxAmount: z.number().nullish(),
  shippingAmount: z.number().nullish(),
});
/** An order from the merchant, with amounts in the major unit. */
export type Cart = z.output<typeof cart>;

const checkout = z.strictObject({
  currency: z
    .string()
    .refine((code) => currencyDigits(code) !== undefined, 'must be an ISO 4217 code')
    .nullish(),
  flowType: z.enum(['Apply', 'Checkout']).nullish(),
  channel: z.enum(['E_COMMERCE', 'IN_STORE', 'CALL_CENTER', 'IN_HOME']).nullish(),
  source: z
    .enum([
      'Api',
      'Dashboard',
      'Sdk',
      'Managed',
      'Consumers',
      'CheckoutApi',
      'Distributor',
      'Widget',
    ])
    .nullish(),
  tokens: textMap.nullish(),
  promoCode: z.string().nullish(),
  requestedLoanAmount: z.number().nullish(),
  tags: textMap.nullish(),
  correlationId: z.string().nullish(),
  merchantPromoCode: z.string().nullish(),
  intent: z
    .enum(['ExistingAccount', 'Authenticate', 'ConfirmPayment', 'StandaloneLookup'])
    .nullish(),
});

const merchant = z.strictObject({
  storeId: z.string().nullish(),
  posId: z.string().nullish(),
  posType: z
    .enum([
      'Kiosk',
      'Retail',
      'GenericMerchantDevice',
      'GenericConsumerDevice',
      'SelfServiceTerminal',
    ])
    .nullish(),
});

const parts = {
  checkoutDetails: checkout,
  cartDetails: cart.nullish(),
  merchantDetails: merchant.nullish(),
  userId: z.string().nullish(),
  linkId: z.string().nullish(),
};

/** The documented body: a consumer, if present, has its seven required fields. */
export const sessionBody = z.strictObject({ ...parts, consumerDetails: consumer.nullish() });

/** The same body, but with all consumer fields optional. */
export const lenientSessionBody = z.strictObject({
  ...parts,
  consumerDetails: consumer.partial().nullish(),
});
export type SessionBody = z.output<typeof lenientSessionBody>;
